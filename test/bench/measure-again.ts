import type { Row } from './figure.ts'

/** A figure is measured so often at most. */
const mostTimes = 3

/**
 * Measures all figures, then those that are missed again: whatever else a machine does only adds to a figure, and not to its floor in the same
 * measure (a turn takes 1.96 × the processor of a plain relay on a machine that rests, and 2.31 × beside other work). It does so for minutes, so
 * that all others are measured in between. The first measurement without a miss counts, else the last; its rows say how often it was measured.
 */
export async function measureAgain<F>(
  figures: readonly F[],
  measure: (figure: F) => Promise<readonly Row[]>,
  isMissed: (rows: readonly Row[]) => boolean,
): Promise<readonly Row[]> {
  const measured = new Map<F, readonly Row[]>()
  let left = figures
  for (let times = 1; times <= mostTimes; times++) {
    for (const figure of left) measured.set(figure, counted(await measure(figure), times))
    left = left.filter((figure) => isMissed(measured.get(figure) ?? []))
  }
  return figures.flatMap((figure) => measured.get(figure) ?? [])
}

function counted(rows: readonly Row[], times: number): readonly Row[] {
  return times === 1 ? rows : rows.map((row) => ({ ...row, note: [row.note, `measured ${times} times`].filter(Boolean).join('; ') }))
}
