import type { Disturbance } from '@agent/plugin-sdk/testing'
import { type Column, endColumns, printProblems, printTable } from '../table.ts'
import { type Explanation, explained } from './explained.ts'
import type { CrowdVerdict } from './judge-crowd.ts'
import { fewestAccepted } from './talk.ts'

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

const columns: readonly Column<CrowdRow>[] = [
  ['platform', ({ verdict }) => verdict.platform],
  ['troubles', ({ troubles }) => sum(troubles.values())],
  ['said', ({ verdict }) => verdict.said],
  ...endColumns<CrowdRow>(({ verdict }) => verdict),
  ['previews left', ({ verdict }) => verdict.leftPreviews],
]

/** Prints the table; true when every guarantee held. */
export function printChaos(report: ChaosReport): boolean {
  const { rows, minuteOneMiB, lastMiB, drainedMs } = report
  printTable(columns, rows)
  console.log(
    `memory: ${minuteOneMiB.toFixed(0)} MiB in minute one, ${lastMiB.toFixed(0)} MiB at the end (${(lastMiB / minuteOneMiB).toFixed(2)} x${report.whole ? '' : ', not judged in a shortened run'})`,
  )
  console.log(`everything was settled ${drainedMs === undefined ? 'never' : `${Math.round(drainedMs / 1000)} s`} after the last message`)
  for (const { verdict } of rows) for (const detail of verdict.details.slice(0, 5)) console.log(`${verdict.platform}: ${detail}`)
  return printProblems(findProblems(report), 'Every guarantee held.')
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
  const unknown = rows.reduce((total, { verdict }) => total + verdict.unknownParts, 0)
  const general: readonly [boolean, string][] = [
    [drainedMs !== undefined, `60 seconds after the last message ${open} rows of the journal are open`],
    [unknown === listed, `${unknown} answers are unknown, and ${listed} are listed`],
    [!whole || lastMiB <= minuteOneMiB * 1.1, `memory grew from ${minuteOneMiB.toFixed(0)} to ${lastMiB.toFixed(0)} MiB`],
    [ended === 0, `the last gateway ended with ${ended}`],
  ]
  return [...rows.flatMap((row) => problemsOf(row, kills)), ...general.filter(([holds]) => !holds).map(([, problem]) => `${problem}.`)]
}

function problemsOf({ verdict, keyed, troubles }: CrowdRow, kills: number): readonly string[] {
  const { platform, accepted, wrong, givenUpUnexplained, unknown, leftPreviews, doubles, lost, outOfOrder } = verdict
  const most = ({ kills: each, disturbances }: Explanation): number =>
    kills / each + sum(disturbances.map((what) => troubles.get(what) ?? 0))
  const mostUnknown = keyed ? 0 : most(explained.unknown)
  const rules: readonly [boolean, string][] = [
    [accepted >= fewestAccepted, 'too little was accepted to say anything'],
    [wrong === 0, `${wrong} messages or answers are not the right ones`],
    [givenUpUnexplained === 0, `${givenUpUnexplained} messages were given up that were not in work at ${explained.givenUp.kills} kills`],
    [unknown <= mostUnknown, `${unknown} answers are unknown, and at most ${mostUnknown} may be`],
    [leftPreviews <= most(explained.leftPreview), `${leftPreviews} previews stayed, and at most ${most(explained.leftPreview)} may`],
    [doubles === 0, `${doubles} answers arrived twice`],
    [lost === 0, `${lost} messages or answers were lost`],
    [outOfOrder === 0, `${outOfOrder} answers came out of order`],
  ]
  return rules.filter(([holds]) => !holds).map(([, problem]) => `${platform}: ${problem}.`)
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0)
}
