import type { Clock } from '../../contract/context.ts'
import { fail } from '../../contract/errors.ts'

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves the time and wakes the sleepers that are due, in order; each may run before the next one wakes. */
  advance(ms: number): Promise<void>
  /** How many sleep. */
  sleeping(): number
}

interface Sleeper {
  readonly at: number
  wake(): void
}

/** A clock that stands still until it is told to go on. */
export function createFakeClock(start = 1_700_000_000_000): FakeClock {
  let now = start
  let sleepers: readonly Sleeper[] = []
  const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason ?? fail('INTERRUPTED'))
        const leave = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper)
          signal?.removeEventListener('abort', abort)
        }
        const abort = (): void => {
          leave()
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          at: now + ms,
          wake: () => {
            leave()
            resolve()
          },
        }
        sleepers = [...sleepers, sleeper]
        signal?.addEventListener('abort', abort, { once: true })
      }),
    advance: async (ms) => {
      const until = now + ms
      for (;;) {
        await drain()
        const [next] = sleepers.filter((sleeper) => sleeper.at <= until).sort((one, other) => one.at - other.at)
        if (!next) break
        now = Math.max(now, next.at)
        next.wake()
      }
      now = until
    },
    sleeping: () => sleepers.length,
  }
}
