import type { Status } from '../../../src/dashboard/api.ts'
import { useData } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { Loaded, Note } from '../parts/notes.tsx'
import { Page, Section } from '../parts/page.tsx'
import { GatewayActions } from './gateway-actions.tsx'
import { PlatformRows } from './status/platform-rows.tsx'
import { UnknownSends } from './status/unknown-sends.tsx'
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
            <Queues queues={status.queues} onDone={data.reload} />
            <Section title="Platforms">
              <PlatformRows status={status} onDone={data.reload} />
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

function Queues({ queues, onDone }: Pick<Status, 'queues'> & { readonly onDone: () => void }) {
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
      {queues.unknown > 0 && <UnknownSends onDone={onDone} />}
    </Section>
  )
}
