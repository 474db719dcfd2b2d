import type { Clock } from '@agent/plugin-sdk'

/** A clock that can tell how much time has passed, however it was set meanwhile. */
export interface PassingClock extends Clock {
  /** Whole milliseconds since a moment that stays the same. */
  elapsed?(): number
}

/** The time of this machine. */
export const systemClock: PassingClock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  // Not `timers/promises`: it makes an error for every wait that is called off, and every model call calls off two.
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}

/** The same clock for waits: its time never goes back, so that a clock that is set back keeps nobody waiting. */
export function createSteadyClock(clock: PassingClock): Clock {
  const { elapsed } = clock
  if (!elapsed) return clock
  // Looked up now and not at the first wait: all who count by it have to agree.
  let began = clock.now() - elapsed()
  return {
    ...clock,
    now: () => {
      began = Math.max(began, clock.now() - elapsed())
      return began + elapsed()
    },
  }
}
