import { type Column, printProblems, printTable } from '../table.ts'
import type { DrillResult } from './run-drill.ts'

const columns: readonly Column<DrillResult>[] = [
  ['drill', ({ name }) => name],
  ['detected after', ({ detectedMs }) => formatMs(detectedMs)],
  ['recovered after', ({ recoveredMs }) => formatMs(recoveredMs)],
  ['others said', ({ said }) => String(said)],
  ['lost', ({ lost }) => String(lost)],
  ['doubles', ({ doubles }) => String(doubles)],
]

/** Prints the table; true when every drill ended well and nobody else noticed it. */
export function printDrills(results: readonly DrillResult[]): boolean {
  printTable(columns, results)
  return printProblems(results.flatMap(findDrillProblems), 'Every drill was contained.')
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
