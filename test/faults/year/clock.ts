import type { Clock } from '@agent/plugin-sdk'

/** A clock on the wall, which somebody may set, beside time that passes: who sleeps is woken by the second. */
export interface YearClock extends Clock {
  /** Time passes until the wall shows this. */
  passUntil(wall: number): void
  /** Somebody sets the clock on the wall by so much. */
  set(byMs: number): void
  /** How much time has passed since somebody did. */
  sinceSet(): number
}

interface Sleeper {
  readonly until: number
  wake(): void
}

export function createYearClock(start: number): YearClock {
  let [wall, steady, setAt] = [start, 0, Number.NEGATIVE_INFINITY]
  const sleepers = new Set<Sleeper>()
  return {
    now: () => wall,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const abort = (): void => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        const sleeper: Sleeper = {
          until: steady + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', abort)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    passUntil(wanted) {
      steady += Math.max(0, wanted - wall)
      wall = Math.max(wall, wanted)
      for (const sleeper of [...sleepers]) if (sleeper.until <= steady) sleeper.wake()
    },
    set(byMs) {
      wall += byMs
      setAt = steady
    },
    sinceSet: () => steady - setAt,
  }
}
