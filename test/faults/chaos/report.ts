import type { Disturbance } from '@agent/plugin-sdk/testing'
import type { CrowdVerdict } from './judge-crowd.ts'

export interface CrowdRow {
  readonly verdict: CrowdVerdict
  /** Whether a repeated send is recognised. */
  readonly keyed: boolean
  readonly troubles: ReadonlyMap<Disturbance, number>
}

export interface ChaosReport {
  readonly rows: readonly CrowdRow[]
  readonly kills: number
  /** Answers of unknown fate that a person is shown. */
  readonly listed: number
  /** Rows of the journal that are not settled at the end. */
  readonly open: number
  readonly minuteOneMiB: number
  readonly lastMiB: number
  /** False in a shortened run, whose gateways are too young to compare. */
  readonly whole: boolean
  readonly drainedMs: number | undefined
  /** How the last gateway ended. */
  readonly ended: number | null
}

const columns: readonly [string, (row: CrowdRow) => string | number][] = [
  ['platform', ({ verdict }) => verdict.platform],
  ['troubles', ({ troubles }) => sum(troubles.values())],
  ['said', ({ verdict }) => verdict.said],
  ['accepted', ({ verdict }) => verdict.accepted],
  ['answered once', ({ verdict }) => verdict.answeredOnce],
  ['given up', ({ verdict }) => verdict.givenUp],
  ['unknown', ({ verdict }) => verdict.unknown],
  ['doubles', ({ verdict }) => verdict.doubles],
  ['lost', ({ verdict }) => verdict.lost],
  ['out of order', ({ verdict }) => verdict.outOfOrder],
]

/** Prints the table; true when every guarantee held. */
export function printChaos(report: ChaosReport): boolean {
  const { rows, minuteOneMiB, lastMiB, drainedMs } = report
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => String(value(row))))]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines) console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  console.log(
    `memory: ${minuteOneMiB.toFixed(0)} MiB in minute one, ${lastMiB.toFixed(0)} MiB at the end (${(lastMiB / minuteOneMiB).toFixed(2)} x${report.whole ? '' : ', not judged in a shortened run'})`,
  )
  console.log(`everything was settled ${drainedMs === undefined ? 'never' : `${Math.round(drainedMs / 1000)} s`} after the last message`)
  for (const { verdict } of rows) for (const detail of verdict.details.slice(0, 5)) console.log(`${verdict.platform}: ${detail}`)
  const problems = findProblems(report)
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  if (problems.length === 0) console.log('Every guarantee held.')
  return problems.length === 0
}

export function findProblems({
  rows,
  kills,
  listed,
  open,
  minuteOneMiB,
  lastMiB,
  whole,
  drainedMs,
  ended,
}: ChaosReport): readonly string[] {
  const unknown = rows.reduce((total, { verdict }) => total + verdict.unknown, 0)
  const general: readonly [boolean, string][] = [
    [drainedMs !== undefined, `60 seconds after the last message ${open} rows of the journal are open`],
    [unknown === listed, `${unknown} answers are unknown, and ${listed} are listed`],
    [!whole || lastMiB <= minuteOneMiB * 1.1, `memory grew from ${minuteOneMiB.toFixed(0)} to ${lastMiB.toFixed(0)} MiB`],
    [ended === 0, `the last gateway ended with ${ended}`],
  ]
  return [...rows.flatMap((row) => problemsOf(row, kills)), ...general.filter(([holds]) => !holds).map(([, problem]) => `${problem}.`)]
}

/** What can cost a receipt: each of them at most one where one send is under way at a time. */
const costly: readonly Disturbance[] = ['cut', 'half-open', 'slow', 'error', 'garbage', 'lose-receipt']

function problemsOf({ verdict, keyed, troubles }: CrowdRow, kills: number): readonly string[] {
  const { platform, accepted, answeredOnce, givenUp, unknown, doubles, lost, outOfOrder } = verdict
  const mostUnknown = keyed ? 0 : kills + sum(costly.map((what) => troubles.get(what) ?? 0))
  const rules: readonly [boolean, string][] = [
    [accepted >= 3, 'too little was accepted to say anything'],
    [answeredOnce + givenUp + unknown + lost >= accepted, `${accepted - answeredOnce - unknown} accepted messages have no answer`],
    [unknown <= mostUnknown, `${unknown} answers are unknown, and at most ${mostUnknown} may be`],
    [doubles === 0, `${doubles} answers arrived twice`],
    [lost === 0, `${lost} messages or answers were lost`],
    [outOfOrder === 0, `${outOfOrder} answers came out of order`],
  ]
  return rules.filter(([holds]) => !holds).map(([, problem]) => `${platform}: ${problem}.`)
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0)
}
