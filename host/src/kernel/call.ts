import type { Call } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { newId } from './ids.ts'

/** The largest deadline that crosses the border as JSON: no limit in practice. */
export const noDeadline = 2 ** 31 - 1

/** The last parameter of a call that the host makes. */
export function createCall(signal: AbortSignal, deadline: number = noDeadline): Call {
  return { id: newId('call'), signal, deadline }
}

/**
 * Aborts the controller when the signal fires; the answer ends the link.
 * Instead of `AbortSignal.any`: on Node 20 a combined signal whose timeout nobody else holds may be collected and never fire,
 * and a timeout that was not needed keeps its timer.
 */
export function linkSignal(controller: AbortController, signal: AbortSignal): () => void {
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}

export interface Within {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly deadline: number
  /** Names the work in the error TIMED_OUT. */
  readonly what: string
}

/** Runs with a call whose signal fires when the caller gives up or the deadline is over; its timer ends with the work. */
export async function callWithin<T>({ signal, deadline, what }: Within, run: (call: Call) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const unlink = linkSignal(controller, signal)
  const timer = setTimeout(() => controller.abort(fail('TIMED_OUT', { what, ms: deadline })), deadline)
  try {
    return await run(createCall(controller.signal, deadline))
  } finally {
    clearTimeout(timer)
    unlink()
  }
}
