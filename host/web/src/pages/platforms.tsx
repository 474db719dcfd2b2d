import { useState } from 'react'
import type { Platform } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { hrefOf, usePlace } from '../net/route.ts'
import { Badge, toneOf } from '../parts/badge.tsx'
import { TextField } from '../parts/field.tsx'
import { Empty, Loaded } from '../parts/notes.tsx'
import { Page, Row } from '../parts/page.tsx'
import { PlatformForm } from './platform-form.tsx'

/** The catalog of the registry: installing a platform makes it appear here, form and all. */
export function PlatformsPage() {
  const { rest: id } = usePlace()
  const data = useData('GET messaging/platforms')
  const [text, setText] = useState('')
  const chosen = data.value?.platforms.find(({ platform }) => platform === id)
  if (chosen) return <PlatformForm key={chosen.platform} platform={chosen} onSaved={data.reload} />
  return (
    <Page title="Platforms" about="Where people can write to the agent.">
      <Loaded data={data}>
        {({ platforms }) => {
          if (platforms.length === 0) return <Empty title="There is no platform">Plugins bring them: install one under Plugins.</Empty>
          const found = platforms.filter((platform) => matches(platform, text))
          return (
            <>
              <TextField kind="search" label="Find a platform" value={text} onChange={setText} />
              {found.length === 0 ? (
                <Empty title="No platform has this name">Try fewer letters, or look for a plugin under Plugins.</Empty>
              ) : (
                <ul className="rows">
                  {[...found].sort(byUse).map((platform) => (
                    <PlatformRow key={platform.platform} platform={platform} />
                  ))}
                </ul>
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function matches({ name, description, platform }: Platform, text: string): boolean {
  return `${name} ${description} ${platform}`.toLowerCase().includes(text.trim().toLowerCase())
}

/** What is set up stands first. */
function byUse(a: Platform, b: Platform): number {
  return Number(b.configured) - Number(a.configured) || a.name.localeCompare(b.name)
}

export function stateOf({ enabled, configured, state }: Platform): string {
  if (enabled === false) return 'off'
  return configured ? state : 'not set up'
}

function PlatformRow({ platform }: { readonly platform: Platform }) {
  const state = stateOf(platform)
  return (
    <Row
      state={<Badge tone={platform.needsAttention && platform.configured ? 'bad' : toneOf(state)}>{state}</Badge>}
      name={<a href={hrefOf('platforms', platform.platform)}>{platform.name}</a>}
      about={platform.problem ?? platform.description}
      end={platform.bundled ? undefined : <Badge tone="quiet">installed</Badge>}
    />
  )
}
