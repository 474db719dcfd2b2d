import type { Clock } from '@agent/plugin-sdk'

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
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
