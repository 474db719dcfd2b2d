import { fail } from '@agent/plugin-sdk/errors'
import type { AgeRule, SessionSummary, Sessions } from '#store/sessions.ts'
import { type Cli, formatTable } from '../console/cli.ts'
import { sessionRow } from './session-row.ts'

export interface PruneOptions {
  readonly olderThan?: string
  readonly keep?: string
  readonly titled?: true
  readonly dryRun?: true
  readonly yes?: true
  readonly json?: true
}

const dayMs = 24 * 3_600_000
/** So many of those that go are shown before they do. */
const shown = 20

/** `agent sessions prune`. */
export async function pruneSessions(cli: Cli, sessions: Sessions, options: PruneOptions, days: number): Promise<void> {
  const rule = readRule(options, days, Date.now())
  const found = await sessions.old(rule)
  if (options.dryRun) return options.json ? cli.json({ sessions: found }) : cli.out(describe(cli, found))
  if (found.length > 0 && !options.yes) {
    if (!options.json) cli.out(describe(cli, found))
    const { confirm } = await import('../console/confirm.ts')
    if (!(await confirm(cli, `Delete ${countSessions(found.length)} for good?`))) return cli.out('Nothing was deleted.')
  }
  const deleted = await sessions.deleteOld(found, rule)
  if (options.json) return cli.json({ deleted })
  cli.out(found.length === 0 ? none : `${countSessions(deleted)} ${deleted === 1 ? 'was' : 'were'} deleted.`)
}

const none = 'No session is that old. Those that you gave a title stay, unless --titled is given.'

function describe(cli: Cli, found: readonly SessionSummary[]): string {
  if (found.length === 0) return none
  const more = found.length > shown ? [`and ${found.length - shown} more`] : []
  return [
    `${countSessions(found.length)}, the oldest first:`,
    formatTable(found.slice(0, shown).map((each) => sessionRow(cli, each))),
    ...more,
  ].join('\n')
}

const countSessions = (count: number): string => `${count} ${count === 1 ? 'session' : 'sessions'}`

/** `--keep` alone counts, whatever the age; but what was used within a day may be in work. */
function readRule({ olderThan, keep, titled }: PruneOptions, days: number, now: number): AgeRule {
  const age = olderThan === undefined ? (keep === undefined ? days : 1) : readDays(olderThan)
  return { before: now - age * dayMs, keep: keep === undefined ? 0 : readKeep(keep), titled: titled === true }
}

function readDays(text: string): number {
  const [, count, unit = 'd'] = /^(\d{1,5})([dw]?)$/.exec(text) ?? []
  const days = Number(count) * (unit === 'w' ? 7 : 1)
  if (count !== undefined && days >= 1) return days
  throw fail('USAGE', {
    problem: `--older-than takes days or weeks, at least 1d, not "${text}".`,
    try: 'agent sessions prune --older-than 30d',
  })
}

function readKeep(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw fail('USAGE', { problem: `--keep takes a whole number, not "${text}".`, try: 'agent sessions prune --keep 100' })
}
