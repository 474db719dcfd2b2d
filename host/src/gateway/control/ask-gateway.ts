import { connect } from 'node:net'
import type { WireError } from '@agent/plugin-sdk'
import { fail, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home.ts'
import { callWithin } from '#kernel/call.ts'
import { findInstance } from '../instance.ts'
import { readLines } from './read-lines.ts'

export interface AskOptions {
  readonly signal: AbortSignal
  /** Longest wait for the answer. */
  readonly timeoutMs?: number
}

const mostAnswerBytes = 4 * 1024 * 1024

/** Asks the running gateway of a home. Rejects with GATEWAY_NOT_RUNNING, CONTROL_UNREACHABLE, TIMED_OUT or what the gateway says. */
export async function askGateway(home: Home, method: string, params: unknown, options: AskOptions): Promise<unknown> {
  const instance = findInstance(home)
  if (!instance) throw fail('GATEWAY_NOT_RUNNING', { home: home.path })
  if (!instance.control) throw fail('CONTROL_UNREACHABLE', { home: home.path, detail: 'it was started by an older version' })
  const { control } = instance
  const within = { signal: options.signal, deadline: options.timeoutMs ?? 60_000, what: `Asking the gateway for ${method}` }
  const answer = await callWithin(within, ({ signal }) => exchange(home, control, { method, params }, signal))
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
  const cut = (): void => void socket.destroy(signal.reason)
  signal.addEventListener('abort', cut, { once: true })
  try {
    signal.throwIfAborted()
    socket.write(`${JSON.stringify({ id: 1, ...request })}\n`)
    for await (const line of readLines(socket, mostAnswerBytes)) return JSON.parse(line) as object
    throw fail('CONTROL_UNREACHABLE', { home: home.path, detail: 'it ended before it answered' })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (isAgentError(error)) throw error
    throw fail('CONTROL_UNREACHABLE', { home: home.path, detail: error instanceof Error ? error.message : String(error) }, { cause: error })
  } finally {
    signal.removeEventListener('abort', cut)
    socket.destroy()
  }
}
