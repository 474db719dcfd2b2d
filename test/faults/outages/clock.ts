import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '@agent/plugin-sdk'

export interface FastClock extends Clock {
  /** From now on time passes so many times as fast as it does. */
  hurry(factor: number): void
}

/** Time that passes faster than it does: what waits for a minute waits for a moment, beside requests that take as long as ever. */
export function createFastClock(): FastClock {
  let [factor, reached, since] = [1, Date.now(), performance.now()]
  const now = (): number => Math.floor(reached + (performance.now() - since) * factor)
  return {
    now,
    sleep: (ms, signal) => pause(ms / factor, undefined, { signal }),
    hurry(wanted) {
      reached = now()
      since = performance.now()
      factor = wanted
    },
  }
}
