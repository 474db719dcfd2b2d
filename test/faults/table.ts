import type { Ends } from './judge.ts'

/** Heading and content of a column. */
export type Column<Row> = readonly [heading: string, content: (row: Row) => string | number]

export function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, content]) => String(content(row))))]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines) console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}

/** What became of messages, as the kill run and the chaos run show it. */
export function endColumns<Row>(
  read: (row: Row) => Ends & Readonly<Record<'accepted' | 'marks' | 'doubles' | 'outOfOrder', number>>,
): readonly Column<Row>[] {
  return [
    ['accepted', (row) => read(row).accepted],
    ['answered rightly', (row) => read(row).right],
    ['wrong', (row) => read(row).wrong],
    ['given up at the third crash', (row) => read(row).givenUp],
    ['given up without reason', (row) => read(row).givenUpUnexplained],
    ['unknown', (row) => read(row).unknown],
    ['marked', (row) => read(row).marks],
    ['doubled', (row) => read(row).doubles],
    ['lost', (row) => read(row).lost],
    ['out of order', (row) => read(row).outOfOrder],
  ]
}

/** Prints what broke a guarantee; true when nothing did. */
export function printProblems(problems: readonly string[], sound: string): boolean {
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  if (problems.length === 0) console.log(sound)
  return problems.length === 0
}
