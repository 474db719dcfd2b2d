/** Seconds between attempts to reach a platform again; the last one repeats. */
const reconnectSeconds: readonly number[] = [2, 5, 10, 30, 60]

/** Milliseconds to wait before attempt number `attempt` (0 is the first repetition): the ladder's step, up to a quarter more. */
export function backoff(attempt: number, random: () => number, ladder: readonly number[] = reconnectSeconds): number {
  const step = ladder[Math.min(Math.max(attempt, 0), ladder.length - 1)] ?? 0
  return Math.round(step * 1000 * (1 + random() / 4))
}
