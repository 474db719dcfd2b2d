import type { Clock } from '../contract/context.ts'

/** How fast something may be said. */
export interface PaceOptions {
  readonly clock: Clock
  /** Pause between two, in milliseconds. */
  readonly delayMs: number
  /** So many may go at once after a silence. */
  readonly burst?: number
}

/** Resolves when the next may go: a burst at once, then one per pause. Each call is one of them. */
export function createPace({ clock, delayMs, burst = 1 }: PaceOptions): (signal: AbortSignal) => Promise<void> {
  let next = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const now = clock.now()
    next = Math.max(next, now - burst * delayMs) + delayMs
    if (next > now) await clock.sleep(next - now, signal)
  }
}
