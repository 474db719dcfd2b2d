import type { Verdict } from './judge.ts'

export interface Report {
  readonly verdicts: readonly Verdict[]
  /** The slowest start, until every platform was connected. */
  readonly restartMs: number
  /** What broke a guarantee, one sentence each. */
  readonly problems: readonly string[]
}

const columns: readonly [string, (verdict: Verdict) => string | number][] = [
  ['platform', ({ platform }) => platform],
  ['accepted', ({ accepted }) => accepted],
  ['answered once', ({ answeredOnce }) => answeredOnce],
  ['given up', ({ givenUp }) => givenUp],
  ['unknown', ({ unknown }) => unknown],
  ['doubles', ({ doubles }) => doubles],
  ['lost', ({ lost }) => lost],
  ['out of order', ({ outOfOrder }) => outOfOrder],
  ['tool lines', ({ toolLines }) => toolLines],
  ['tools run twice', ({ toolsTwice }) => toolsTwice],
]

/** Prints the table; true when every guarantee held. */
export function printReport({ verdicts, restartMs, problems }: Report): boolean {
  const rows = [columns.map(([name]) => name), ...verdicts.map((verdict) => columns.map(([, value]) => String(value(verdict))))]
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  console.log(`restart until connected: ${Math.round(restartMs)} ms at most`)
  for (const { platform, details } of verdicts) for (const detail of details) console.log(`${platform}: ${detail}`)
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  if (problems.length === 0) console.log('Every guarantee held.')
  return problems.length === 0
}

export interface Figures {
  readonly verdicts: readonly Verdict[]
  readonly kills: number
  /** Answers of unknown fate that `agent gateway status` lists. */
  readonly listed: number
}

/** The guarantees that the figures break. */
export function findProblems({ verdicts, kills, listed }: Figures): readonly string[] {
  const unknown = verdicts.reduce((sum, verdict) => sum + verdict.unknownParts, 0)
  const hidden = unknown === listed ? [] : [`${unknown} parts of answers are unknown, and ${listed} are listed.`]
  return [...hidden, ...verdicts.flatMap((verdict) => problemsOf(verdict, kills))]
}

function problemsOf(verdict: Verdict, kills: number): readonly string[] {
  const { platform, keys, accepted, answeredOnce, unknown, unknownParts, doubles, lost, outOfOrder, toolsTwice } = verdict
  const mostUnknown = keys ? 0 : kills
  const rules: readonly [boolean, string][] = [
    [accepted >= kills / 2, 'too little was accepted to say anything'],
    [answeredOnce + unknown === accepted, `${accepted - answeredOnce - unknown} accepted messages have no answer`],
    [unknownParts <= mostUnknown, `${unknownParts} parts are unknown, and at most ${mostUnknown} may be`],
    [doubles === 0, `${doubles} answers arrived twice`],
    [lost === 0, `${lost} answers were lost`],
    [outOfOrder === 0, `${outOfOrder} answers came out of order`],
    [toolsTwice === 0, `${toolsTwice} tools ran twice`],
  ]
  return rules.filter(([holds]) => !holds).map(([, problem]) => `${platform}: ${problem}.`)
}
