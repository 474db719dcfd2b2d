import { type Call, type TimeLimit, withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { newId } from '../ids.ts'

/** The largest deadline that crosses the border as JSON: no limit in practice. */
const noDeadline = 2 ** 31 - 1

/** The last parameter of a call that the host makes. */
export function createCall(signal: AbortSignal, deadline: number = noDeadline): Call {
  return { id: newId('call'), signal, deadline }
}

export interface CallLimit extends Pick<TimeLimit, 'clock' | 'signal' | 'what'> {
  /** Milliseconds. */
  readonly deadline: number
}

/** After its signal has fired a call may still say what became of it for this long; then nobody waits for it any more. */
export const graceMs = 2_000

/**
 * Calls a plugin and waits no longer than the deadline and the grace, whatever the plugin does.
 * `onLate` gets a result that came when nobody waited any more.
 */
export function callWithin<T>({ deadline, ...limit }: CallLimit, run: (call: Call) => Promise<T>, onLate?: (value: T) => void): Promise<T> {
  return withTimeLimit({ ms: deadline, graceMs, ...limit }, (signal) => run(createCall(signal, deadline)), onLate)
}

/** Hands a call on to a plugin, for as long as the caller waits or a nearer limit allows. Rejects with a coded error when that is over. */
export async function passCall<T>(
  call: Call,
  { ms = call.deadline, ...limit }: Pick<TimeLimit, 'clock' | 'what' | 'graceMs'> & { readonly ms?: number },
  run: (call: Call) => Promise<T>,
): Promise<T> {
  const deadline = Math.min(ms, call.deadline)
  return withTimeLimit({ signal: call.signal, ms: deadline, ...limit }, (signal) => run({ id: call.id, signal, deadline })).catch(
    (error: unknown) => {
      throw call.signal.aborted && !isAgentError(error) ? fail('INTERRUPTED') : error
    },
  )
}
