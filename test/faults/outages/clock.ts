import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '@agent/plugin-sdk'

export interface FastClock extends Clock, Disposable {
  /** From now on time passes so many times as fast as it does. */
  hurry(factor: number): void
}

/** How long the process waits for a turn of the processor at most, in real milliseconds, for that to count. */
const longestStepMs = 25

/**
 * Time that passes faster than it does: what waits for a minute waits for a moment, beside requests that take as long as ever. While a busy
 * machine lets the process wait no time passes: each such moment would be a silence of minutes.
 */
export function createFastClock(): FastClock {
  let [factor, reached, since] = [1, Date.now(), performance.now()]
  const now = (): number => {
    const at = performance.now()
    reached += factor === 1 ? at - since : Math.min(at - since, longestStepMs) * factor
    since = at
    return Math.floor(reached)
  }
  const ticking = setInterval(now, longestStepMs / 5).unref()
  return {
    now,
    async sleep(ms, signal) {
      const until = now() + ms
      for (let left = ms; left > 0; left = until - now()) await pause(Math.max(left / factor, 1), undefined, { signal })
    },
    hurry(wanted) {
      now()
      factor = wanted
    },
    [Symbol.dispose]: () => clearInterval(ticking),
  }
}
