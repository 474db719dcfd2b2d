import type { SessionSummary } from '#store/sessions.ts'
import { type Cli, paint } from '../console/cli.ts'
import { formatAge } from '../console/format-age.ts'

/** A session in a table. */
export function sessionRow(cli: Cli, session: SessionSummary): string[] {
  const name = session.title ?? session.preview.replaceAll(/\s+/g, ' ').slice(0, 50)
  return [
    paint(cli, 'cyan', session.id),
    `${formatAge(Date.now() - session.lastAt)} ago`,
    session.source,
    `${session.messages} messages`,
    name,
  ]
}
