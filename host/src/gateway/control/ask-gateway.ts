import { connect } from 'node:net'
import { type Clock, type WireError, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, fromWireError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { findInstance } from '../instance/instance.ts'
import { readLines } from './read-lines.ts'

export interface AskGatewayOptions {
  readonly signal: AbortSignal
  /** Longest wait for the answer. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

const mostAnswerBytes = 4 * 1024 * 1024

/** Asks the running gateway of a home. Rejects with GATEWAY_NOT_RUNNING, CONTROL_UNREACHABLE, TIMED_OUT or what the gateway says. */
export async function askGateway(home: Home, method: string, params: unknown, options: AskGatewayOptions): Promise<unknown> {
  const instance = findInstance(home)
  if (!instance) throw fail('GATEWAY_NOT_RUNNING', { home: home.path })
  if (!instance.control) throw fail('CONTROL_UNREACHABLE', { home: home.path, detail: 'it was started by an older version' })
  const { control } = instance
  const { signal, timeoutMs = 60_000, clock = systemClock } = options
  const limit = { clock, signal, ms: timeoutMs, what: `Asking the gateway for ${method}` }
  const answer = await withTimeLimit(limit, (own) => exchange(home, control, { method, params }, own))
  if ('error' in answer) throw fromWireError(answer.error as WireError)
  return answer.result
}

async function exchange(
  home: Home,
  path: string,
  request: { readonly method: string; readonly params: unknown },
  signal: AbortSignal,
): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
  const socket = connect(path)
  // Who waited has been told already; the connection only has to end.
  signal.addEventListener('abort', () => socket.destroy())
  try {
    socket.write(`${JSON.stringify({ id: 1, ...request })}\n`)
    // It ends with the first line, or where reading fails.
    for await (const line of readLines(socket, mostAnswerBytes)) return JSON.parse(line) as object
  } catch (error) {
    throw fail('CONTROL_UNREACHABLE', { home: home.path, detail: detailOf(error) }, { cause: error })
  }
  throw fail('CONTROL_UNREACHABLE', { home: home.path, detail: 'it ended before it answered' })
}
