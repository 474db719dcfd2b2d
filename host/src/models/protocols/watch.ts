import type { Call, Clock } from '@agent/plugin-sdk'

interface Limits {
  readonly timeoutMs: number
  readonly stallMs: number
}

interface Cause {
  readonly why: 'interrupted' | 'late' | 'silent'
  readonly detail: string
}

/** Ends a model call that was given up, lasts too long or has fallen silent. */
export interface Watch {
  readonly signal: AbortSignal
  /** Why the signal fired; undefined while it has not, or when the call ended by itself. */
  readonly cause: Cause | undefined
  /** Bytes arrived. Silence is measured from the first ones on: a local model may think for minutes before it speaks. */
  touch(): void
  /** The answer is complete; `rest` may go on for a second before the connection is cut. */
  release(rest: Promise<void>): void
  close(): void
}

const restMs = 1_000

export function openWatch(clock: Clock, call: Call, { timeoutMs, stallMs }: Limits): Watch {
  const controller = new AbortController()
  const over = new AbortController()
  const end = clock.now() + Math.min(timeoutMs, call.deadline)
  let cause: Cause | undefined
  let heard: number | undefined
  let rest: Promise<void> | undefined
  const stop = (found: Cause): void => {
    cause ??= found
    controller.abort(new Error(found.detail))
  }
  const onAbort = (): void => stop(isTimeout(call.signal.reason) ? late : { why: 'interrupted', detail: 'interrupted' })
  const late: Cause = { why: 'late', detail: `no complete answer within ${Math.round(Math.min(timeoutMs, call.deadline) / 1000)} seconds` }
  const keep = async (): Promise<void> => {
    for (;;) {
      const now = clock.now()
      const silence = heard === undefined ? 0 : now - heard
      if (now >= end) return stop(late)
      if (silence >= stallMs) return stop({ why: 'silent', detail: `nothing came for ${Math.round(stallMs / 1000)} seconds` })
      await clock.sleep(Math.min(end - now, stallMs - silence), over.signal)
    }
  }
  if (call.signal.aborted) onAbort()
  else call.signal.addEventListener('abort', onAbort, { once: true })
  // The only rejection is the sleep being called off by close.
  keep().catch(() => undefined)
  return {
    signal: controller.signal,
    get cause() {
      return cause
    },
    touch() {
      heard = clock.now()
    },
    release(promise) {
      rest = promise
    },
    close() {
      over.abort()
      call.signal.removeEventListener('abort', onAbort)
      const cut = (): void => controller.abort()
      if (rest) Promise.race([rest, clock.sleep(restMs, controller.signal)]).then(cut, cut)
      else cut()
    },
  }
}

function isTimeout(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false
  return reason.name === 'TimeoutError' || ('code' in reason && reason.code === 'TIMED_OUT')
}
