import { useState } from 'react'
import type { PluginRow } from '../../../src/dashboard/api.ts'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge, toneOf } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded } from '../parts/notes.tsx'
import { Page, Row } from '../parts/page.tsx'
import { InstallPlugin } from './install-plugin.tsx'
import { InstalledActions } from './installed-actions.tsx'

export function PluginsPage() {
  const data = useData('GET plugins')
  const [text, setText] = useState('')
  const [why, setWhy] = useState<PluginRow>()
  return (
    <Page title="Plugins" about="Everything that the agent can do comes from one of them.">
      <InstallPlugin onDone={data.reload} />
      <TextField kind="search" label="Find a plugin that is here" value={text} onChange={setText} />
      <Loaded data={data}>
        {({ plugins }) => {
          const found = plugins.filter((plugin) => textOf(plugin).includes(text.trim().toLowerCase()))
          if (plugins.length === 0) return <Empty title="There are no plugins">Look for one in the registry above.</Empty>
          if (found.length === 0)
            return <Empty title="No plugin has this name">Try fewer letters, or look for it in the registry above.</Empty>
          return (
            <ul className="rows">
              {found.map((plugin) => (
                <PluginLine key={plugin.id} plugin={plugin} onWhy={() => setWhy(plugin)} onDone={data.reload} />
              ))}
            </ul>
          )
        }}
      </Loaded>
      {why && <WhyDialog plugin={why} onClose={() => setWhy(undefined)} onDone={data.reload} />}
    </Page>
  )
}

function textOf({ id, name, description, contributes }: PluginRow): string {
  return [id, name, description, ...contributes.map((each) => `${each.kind} ${each.name}`)].join(' ').toLowerCase()
}

function PluginLine({ plugin, onWhy, onDone }: { plugin: PluginRow; onWhy: () => void; onDone: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const turn = () =>
    run(async () => {
      told(await api.ask('PUT plugins/{id}/enabled', { params: { id: plugin.id }, body: { enabled: !plugin.enabled } }))
      onDone()
    })
  return (
    <Row
      state={<Badge tone={plugin.enabled ? toneOf(plugin.state) : 'quiet'}>{plugin.enabled ? plugin.state : 'off'}</Badge>}
      name={
        <>
          {plugin.name}{' '}
          <span className="muted small">{`${plugin.version}${plugin.bundled ? '' : ' · installed'}${plugin.medal ? ` · ${plugin.medal}` : ''}`}</span>
        </>
      }
      about={
        <>
          {plugin.reason ?? plugin.description}
          <ErrorNote error={error} />
        </>
      }
      end={
        <>
          <Button tiny look="plain" onPress={onWhy} label={`More about ${plugin.name}`}>
            More
          </Button>
          <Button tiny busy={busy} onPress={turn} label={`${plugin.enabled ? 'Turn off' : 'Turn on'} ${plugin.name}`}>
            {plugin.enabled ? 'Turn off' : 'Turn on'}
          </Button>
        </>
      }
    />
  )
}

function WhyDialog({ plugin, onClose, onDone }: { readonly plugin: PluginRow; readonly onClose: () => void; readonly onDone: () => void }) {
  const data = useData('GET plugins/{id}/why', { params: { id: plugin.id } })
  return (
    <Dialog title={plugin.name} onClose={onClose}>
      <p>{plugin.description}</p>
      <Loaded data={data}>
        {({ lines }) => (
          <ul>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </Loaded>
      {!plugin.bundled && <InstalledActions plugin={plugin} onDone={onDone} />}
      {plugin.permissions.length > 0 && <p className="muted small">{`It may: ${plugin.permissions.join(', ')}`}</p>}
    </Dialog>
  )
}
