import type { Verdict } from './judge.ts'
import { type Column, endColumns, printProblems, printTable } from './table.ts'

export interface Report {
  readonly verdicts: readonly Verdict[]
  /** The slowest start, until every platform was connected. */
  readonly restartMs: number
  /** What broke a guarantee, one sentence each. */
  readonly problems: readonly string[]
}

const columns: readonly Column<Verdict>[] = [
  ['platform', ({ platform }) => platform],
  ...endColumns<Verdict>((verdict) => verdict),
  ['tool lines', ({ toolLines }) => toolLines],
  ['tools run twice', ({ toolsTwice }) => toolsTwice],
]

const mostDetails = 10

/** Prints the table; true when every guarantee held. */
export function printReport({ verdicts, restartMs, problems }: Report): boolean {
  printTable(columns, verdicts)
  console.log(`restart until connected: ${Math.round(restartMs)} ms at most`)
  for (const { platform, details } of verdicts) for (const detail of details.slice(0, mostDetails)) console.log(`${platform}: ${detail}`)
  return printProblems(problems, 'Every guarantee held.')
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
  const { platform, keys, accepted, wrong, givenUpUnexplained, unknownParts, doubles, lost, outOfOrder, toolsTwice } = verdict
  const mostUnknown = keys ? 0 : kills
  const rules: readonly [boolean, string][] = [
    [accepted >= kills / 2, 'too little was accepted to say anything'],
    [wrong === 0, `${wrong} messages or answers are not the right ones`],
    [givenUpUnexplained === 0, `${givenUpUnexplained} messages were given up that were not in work at three kills`],
    [unknownParts <= mostUnknown, `${unknownParts} parts are unknown, and at most ${mostUnknown} may be`],
    [doubles === 0, `${doubles} answers arrived twice`],
    [lost === 0, `${lost} answers were lost`],
    [outOfOrder === 0, `${outOfOrder} answers came out of order`],
    [toolsTwice === 0, `${toolsTwice} tools ran twice`],
  ]
  return rules.filter(([holds]) => !holds).map(([, problem]) => `${platform}: ${problem}.`)
}
