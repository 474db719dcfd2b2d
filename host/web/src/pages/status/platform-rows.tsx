import { useState } from 'react'
import type { PlatformState, Status } from '../../../../src/dashboard/api.ts'
import { useApp, useDoing, useTold } from '../../net/app.ts'
import { hrefOf } from '../../net/route.ts'
import { Badge, toneOf } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty, ErrorNote } from '../../parts/notes.tsx'
import { Row } from '../../parts/page.tsx'
import { describeWaiting, type PlatformVerb, verbsFor } from './platform-verbs.ts'

export interface PlatformRowsProps {
  readonly status: Status
  readonly onDone: () => void
}

/** How each platform is, what waits there, and what helps. */
export function PlatformRows({ status: { platforms, queues }, onDone }: PlatformRowsProps) {
  const waitsFor = (platform: string) => queues.platforms.find((queue) => queue.platform === platform)
  const gone = queues.platforms.filter(
    (queue) => describeWaiting(queue) !== '' && !platforms.some(({ platform }) => platform === queue.platform),
  )
  if (platforms.length + gone.length === 0) return <NoPlatform />
  return (
    <ul className="rows">
      {platforms.map((platform) => (
        <PlatformRow key={platform.platform} platform={platform} queue={waitsFor(platform.platform)} onDone={onDone} />
      ))}
      {gone.map((queue) => (
        <Row
          key={queue.platform}
          state={<Badge tone="warn">does not run</Badge>}
          name={queue.platform}
          about={describeWaiting(queue)}
          end={
            <a className="button tiny" href={hrefOf('plugins')}>
              See plugins
            </a>
          }
        />
      ))}
    </ul>
  )
}

function NoPlatform() {
  return (
    <Empty
      title="No platform is set up"
      action={
        <a className="button" href={hrefOf('platforms')}>
          Set up a platform
        </a>
      }
    >
      A platform lets people write to the agent from their messenger.
    </Empty>
  )
}

interface PlatformRowProps {
  readonly platform: PlatformState
  readonly queue: Status['queues']['platforms'][number] | undefined
  readonly onDone: () => void
}

function PlatformRow({ platform: { platform, state, problem, needsAttention }, queue, onDone }: PlatformRowProps) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const [pressed, setPressed] = useState<PlatformVerb>()
  const press = (verb: PlatformVerb) => {
    setPressed(verb)
    run(async () => {
      told(await api.ask(`POST messaging/platforms/{id}/${verb.verb}`, { params: { id: platform } }))
      onDone()
    })
  }
  const facts = [problem, queue && describeWaiting(queue)].filter(Boolean)
  return (
    <Row
      state={<Badge tone={needsAttention ? 'bad' : toneOf(state)}>{state}</Badge>}
      name={platform}
      about={
        <>
          {facts.join(' · ')}
          <ErrorNote error={error} />
        </>
      }
      end={
        <>
          {verbsFor(state).map((verb) => (
            <Button
              key={verb.words}
              tiny
              busy={busy && verb === pressed}
              disabled={busy}
              label={`${verb.words}: ${platform}`}
              onPress={() => press(verb)}
            >
              {verb.words}
            </Button>
          ))}
          <a className="button tiny" href={hrefOf('platforms', platform)}>
            {needsAttention ? 'Mend' : 'Open'}
          </a>
        </>
      }
    />
  )
}
