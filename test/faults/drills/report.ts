import type { DrillResult } from './run-drill.ts'

const columns: readonly [string, (result: DrillResult) => string][] = [
  ['drill', ({ name }) => name],
  ['detected after', ({ detectedMs }) => formatMs(detectedMs)],
  ['recovered after', ({ recoveredMs }) => formatMs(recoveredMs)],
  ['others said', ({ said }) => String(said)],
  ['lost', ({ lost }) => String(lost)],
  ['doubles', ({ doubles }) => String(doubles)],
]

/** Prints the table; true when every drill ended well and nobody else noticed it. */
export function printDrills(results: readonly DrillResult[]): boolean {
  const rows = [columns.map(([name]) => name), ...results.map((result) => columns.map(([, value]) => value(result)))]
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  const problems = results.flatMap(findDrillProblems)
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  if (problems.length === 0) console.log('Every drill was contained.')
  return problems.length === 0
}

/** What of a drill did not end as it should, one sentence each. */
export function findDrillProblems({ name, said, lost, doubles, problems }: DrillResult): readonly string[] {
  const found = [...problems]
  if (said === 0) found.push('nobody said anything')
  if (lost !== 0) found.push(`${lost} of ${said} messages of the other platforms were not answered once`)
  if (doubles > 0) found.push(`${doubles} answers arrived twice`)
  return found.map((problem) => `${name}: ${problem}`)
}

function formatMs(ms: number | undefined): string {
  return ms === undefined ? '–' : `${Math.round(ms)} ms`
}
