import type { Call, Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

export interface Limit {
  /** Names the work in the error TIMED_OUT. */
  readonly what: string
  readonly ms: number
  readonly clock: Clock
}

/** Runs with a signal and a deadline; the wait ends with them even when the work ignores both. */
export async function runWithin<T>(run: (call: Call) => Promise<T>, call: Call, { what, ms, clock }: Limit): Promise<T> {
  if (call.signal.aborted) throw fail('INTERRUPTED')
  const allowed = Math.min(ms, call.deadline)
  const ended = new AbortController()
  const settled = new AbortController()
  // A refused sleep means that the work was faster.
  void clock.sleep(allowed, settled.signal).then(
    () => ended.abort(fail('TIMED_OUT', { what, ms: allowed })),
    () => undefined,
  )
  const interrupt = (): void => ended.abort(fail('INTERRUPTED'))
  call.signal.addEventListener('abort', interrupt, { once: true })
  try {
    const given = new Promise<never>((_resolve, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason), { once: true })
    })
    const running = (async () => run({ id: call.id, signal: ended.signal, deadline: allowed }))()
    return await Promise.race([running, given])
  } finally {
    call.signal.removeEventListener('abort', interrupt)
    settled.abort()
  }
}
