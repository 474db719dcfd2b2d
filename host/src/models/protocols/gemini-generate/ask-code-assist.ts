import { fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import { failedEvent } from '../../request/classify.ts'
import type { Endpoint } from '../../request/endpoint.ts'
import { asRecord, reasonOf } from '../../request/refusal.ts'
import { send } from '../../request/send.ts'

interface Asked {
  readonly path: string
  /** Absent: it is asked by GET. */
  readonly body?: object
  readonly signal: AbortSignal
}

/** One question beside the conversation; throws the same coded errors as a model call. */
export async function askCodeAssist(
  endpoint: Endpoint,
  fetchNow: typeof fetch | undefined,
  { path, body, signal }: Asked,
): Promise<Readonly<Record<string, unknown>>> {
  const outgoing = { method: body ? 'POST' : 'GET', path, signal, ...(body ? { body } : {}) } as const
  const answered = await send(endpoint, fetchNow, outgoing, Date.now).catch((error: unknown) => {
    signal.throwIfAborted()
    if (isAgentError(error)) throw error
    throw fromWireError(failedEvent(endpoint, { class: 'disconnected', detail: reasonOf(error) }).error)
  })
  if (answered.failed) throw fromWireError(answered.failed.error)
  return asRecord(await answered.reply.json().catch(() => undefined)) ?? {}
}
