import { type Column, printProblems, printTable } from '../table.ts'
import type { Seen, Verdict } from './judge.ts'

export interface Row {
  readonly turn: Seen
  readonly verdict: Verdict
  /** Of the first service, when the turn began. */
  readonly weather: string
  /** The last service that was asked. */
  readonly by: string | undefined
}

interface Line {
  readonly weather: string
  readonly rows: readonly Row[]
}

const verdicts = [
  'answered',
  'named error',
  'wrong',
  'doubled',
  'no end',
  'error without need',
  'not restored',
] as const satisfies Verdict[]
const sound: ReadonlySet<Verdict> = new Set(['answered', 'named error'])

const count = (rows: readonly Row[], test: (row: Row) => boolean): number => rows.filter(test).length

const columns: readonly Column<Line>[] = [
  ['first service', ({ weather }) => weather],
  ['turns', ({ rows }) => rows.length],
  ...['first', 'second', 'third'].map((name): Column<Line> => [`by ${name}`, ({ rows }) => count(rows, ({ by }) => by === name)]),
  ...verdicts.map((verdict): Column<Line> => [verdict, ({ rows }) => count(rows, (row) => row.verdict === verdict)]),
]

/** Prints what became of the turns in each weather of the first service; true when nothing was wrong. */
export function printDay(rows: readonly Row[], keys: readonly string[]): boolean {
  const weathers = [...new Set(rows.map(({ weather }) => weather))].sort()
  printTable(columns, [
    ...weathers.map((weather) => ({ weather, rows: rows.filter((row) => row.weather === weather) })),
    { weather: 'all', rows },
  ])
  const bad = rows.filter(({ verdict }) => !sound.has(verdict))
  for (const { turn, verdict, weather } of bad.slice(0, 10)) console.log(`${verdict} (${weather}): ${JSON.stringify(turn)}`)
  const codes = new Set(rows.flatMap(({ turn }) => turn.code ?? []))
  console.log(`errors that were told: ${[...codes].sort().join(', ')}`)
  const few = rows.length < 100 ? ['Too few turns to say anything.'] : []
  return printProblems(
    [...few, ...keys, ...(bad.length > 0 ? [`${bad.length} of ${rows.length} turns did not end as they have to.`] : [])],
    'Every turn ended as it has to.',
  )
}
