import type { Status } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { hrefOf } from '../net/route.ts'
import { Badge, toneOf } from '../parts/badge.tsx'
import { Empty, Loaded, Note } from '../parts/notes.tsx'
import { Page, Row, Section } from '../parts/page.tsx'
import { GatewayActions } from './gateway-actions.tsx'
import { UpdateSection } from './update-section.tsx'

/** What is connected, what waits, what is unknown, with the actions that help. */
export function StatusPage() {
  const data = useData('GET status', {}, 3000)
  return (
    <Page title="Status" about="What runs, what waits, and what needs you.">
      <Loaded data={data}>
        {(status) => (
          <>
            <Section title="Gateway">
              <Gateway status={status} />
              <GatewayActions running={status.gateway.running} onDone={data.reload} />
            </Section>
            <Queues queues={status.queues} />
            <Section title="Platforms">
              <PlatformStates status={status} />
            </Section>
            <UpdateSection />
            <p className="muted small">
              profile {status.profile} · {status.sandbox}
            </p>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Gateway({ status: { gateway, platforms } }: { readonly status: Status }) {
  if (!gateway.running)
    return (
      <Note {...(platforms.length > 0 && { tone: 'warn' as const })}>
        <Badge tone="quiet">stopped</Badge>
        <p>The gateway does not run, so no platform is answered. The chat of this page works without it.</p>
      </Note>
    )
  return (
    <Note>
      <div className="line">
        <Badge tone="ok">running</Badge>
        {gateway.pid !== undefined && <span className="muted figures">process {gateway.pid}</span>}
      </div>
    </Note>
  )
}

const queueNames = [
  ['waiting', 'Without an answer yet'],
  ['sending', 'Answers to be sent'],
  ['unknown', 'Unknown whether sent'],
] as const

function Queues({ queues }: Pick<Status, 'queues'>) {
  return (
    <Section title="Messages">
      <dl className="figure-row">
        {queueNames.map(([key, name]) => (
          <div key={key} className="card">
            <dt className="muted small">{name}</dt>
            <dd>{queues[key].toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {queues.unknown > 0 && (
        <Note tone="warn">
          <p>
            Of {queues.unknown} answers nobody knows whether they arrived. Look into the conversations, then say so with{' '}
            <code>agent gateway status</code>, which lists them.
          </p>
        </Note>
      )}
    </Section>
  )
}

function PlatformStates({ status: { platforms } }: { readonly status: Status }) {
  if (platforms.length === 0)
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
  return (
    <ul className="rows">
      {platforms.map(({ platform, state, problem, needsAttention }) => (
        <Row
          key={platform}
          state={<Badge tone={needsAttention ? 'bad' : toneOf(state)}>{state}</Badge>}
          name={platform}
          about={problem}
          end={
            <a className="button tiny" href={hrefOf('platforms', platform)}>
              {needsAttention ? 'Mend' : 'Open'}
            </a>
          }
        />
      ))}
    </ul>
  )
}
