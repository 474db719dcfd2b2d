import type { Log } from '@agent/plugin-sdk'
import { detailOf, isAgentError } from '@agent/plugin-sdk/errors'
import * as z from 'zod'
import { type EventFrame, type PanelChanged, type RpcResponse, rpcErrors } from '../protocol.ts'
import { type MethodContext, methods } from './methods.ts'

export interface ConnectionOptions extends Pick<MethodContext, 'hub' | 'isConfigured' | 'now'> {
  readonly send: (message: RpcMessage) => void
  /** Fires when the client is gone. */
  readonly signal: AbortSignal
  readonly log: Log
}

export type RpcMessage =
  | RpcResponse
  | { readonly jsonrpc: '2.0'; readonly method: 'event'; readonly params: EventFrame }
  | { readonly jsonrpc: '2.0'; readonly method: 'panel.changed'; readonly params: PanelChanged }

const requestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number()]),
  method: z.string().max(200),
  params: z.unknown(),
})

/** Answers the messages of one client, whatever carries them. What it returns takes a parsed message and never rejects. */
export function createConnection({ send, signal, log, ...given }: ConnectionOptions): (message: unknown) => Promise<void> {
  const watched = new Map<string, () => void>()
  let leavePanels: (() => void) | undefined
  const context: MethodContext = {
    ...given,
    watch: (id, session) => {
      // Who has left would be watched for without an end.
      if (signal.aborted) return
      watched.get(id)?.()
      watched.set(
        id,
        session.watch((frame) => send({ jsonrpc: '2.0', method: 'event', params: frame })),
      )
    },
    watchPanels: (hub) => {
      if (signal.aborted) return
      leavePanels ??= hub.onPanelChanged((panel) => send({ jsonrpc: '2.0', method: 'panel.changed', params: { panel } }))
    },
    unwatch: (id) => {
      watched.get(id)?.()
      return watched.delete(id)
    },
  }
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of watched.values()) stop()
      watched.clear()
      leavePanels?.()
    },
    { once: true },
  )
  return async (message) => {
    const response = await answer(message, context, log)
    // Looking, watching and answering are one moment: no event can come between them.
    if (!signal.aborted) send(response())
  }
}

async function answer(message: unknown, context: MethodContext, log: Log): Promise<() => RpcResponse> {
  const request = requestSchema.safeParse(message)
  if (!request.success) return () => failure(null, rpcErrors.request, 'The message is no JSON-RPC 2.0 request with an id.', 'HTTP_INVALID')
  const { id, method, params = {} } = request.data
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!run) return () => failure(id, rpcErrors.method, `There is no method ${method}.`, 'HTTP_NOT_FOUND')
  try {
    const result = await run(params, context)
    return () => ({ jsonrpc: '2.0', id, result: result() })
  } catch (error) {
    if (!isAgentError(error)) log.error('a method of the dashboard failed inside', { method, error: detailOf(error) })
    return () => describe(id, error)
  }
}

/** The answer to a text that is no JSON. */
export function refuseText(): RpcResponse {
  return failure(null, rpcErrors.parse, 'The message is no JSON.', 'HTTP_BAD_JSON')
}

const ofParam: Readonly<Record<string, number>> = { truncate_before_user_ordinal: rpcErrors.badTruncation }

function describe(id: string | number, error: unknown): RpcResponse {
  if (!isAgentError(error)) return failure(id, rpcErrors.failed, 'Something failed inside. The log says more: agent logs', 'INTERNAL')
  const { code, message, params } = error
  const number = code === 'HTTP_INVALID' ? (ofParam[String(params.param)] ?? rpcErrors.params) : rpcErrors.failed
  return failure(id, number, message, code)
}

function failure(id: string | number | null, number: number, message: string, code: string): RpcResponse {
  return { jsonrpc: '2.0', id, error: { code: number, message, data: { code } } }
}
