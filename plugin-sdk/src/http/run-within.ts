import type { Clock } from '../context.ts'
import { fail } from '../errors.ts'

/** What bounds a wait. */
export interface WithinOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly ms: number
  /** Names the work in the error TIMED_OUT. */
  readonly what: string
}

/** Runs `work` with a signal that fires after `ms` too; its reason is TIMED_OUT then. The work has to heed its signal. */
export async function runWithin<T>({ clock, signal, ms, what }: WithinOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const bound = new AbortController()
  const over = new AbortController()
  // Not AbortSignal.any: on Node 20 a combined signal that nobody else holds may be collected and never fire.
  const giveUp = (): void => bound.abort(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  clock.sleep(ms, over.signal).then(
    () => bound.abort(fail('TIMED_OUT', { what, ms })),
    () => undefined,
  )
  try {
    return await work(bound.signal)
  } finally {
    over.abort()
    signal.removeEventListener('abort', giveUp)
  }
}
