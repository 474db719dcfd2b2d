import type { Call, Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createCall, linkSignal } from './call.ts'

export interface Bounds {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly deadline: number
  /** Names the work in the error TIMED_OUT. */
  readonly what: string
}

/** After its signal has fired a call may still say what became of it for this long; then nobody waits for it any more. */
const graceMs = 2_000

/**
 * Calls a plugin and waits no longer than the deadline and the grace, whatever the plugin does.
 * `onLate` gets a result that came when nobody waited any more.
 */
export async function callBounded<T>(
  { clock, signal, deadline, what }: Bounds,
  run: (call: Call) => Promise<T>,
  onLate?: (value: T) => void,
): Promise<T> {
  const controller = new AbortController()
  const over = new AbortController()
  const unlink = linkSignal(controller, signal)
  clock.sleep(deadline, over.signal).then(
    () => controller.abort(fail('TIMED_OUT', { what, ms: deadline })),
    () => undefined,
  )
  try {
    const work = (async () => run(createCall(controller.signal, deadline)))()
    return await leaveAfterAbort(clock, controller.signal, work, onLate)
  } finally {
    over.abort()
    unlink()
  }
}

/** The result of `work`, or the signal's reason when there is none within the grace after it fired. */
export function leaveAfterAbort<T>(clock: Clock, signal: AbortSignal, work: Promise<T>, onLate?: (value: T) => void): Promise<T> {
  const over = new AbortController()
  return new Promise<T>((resolve, reject) => {
    let left = false
    const leave = (): void => {
      left = true
      reject(signal.reason)
    }
    const onAbort = (): void => void clock.sleep(graceMs, over.signal).then(leave, () => undefined)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const end = (): void => {
      over.abort()
      signal.removeEventListener('abort', onAbort)
    }
    work.then(
      (value) => {
        end()
        if (left) onLate?.(value)
        else resolve(value)
      },
      (error: unknown) => {
        end()
        reject(error)
      },
    )
  })
}
