import type { ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { detailOf, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { parseRetryAfter } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'
import type { PackageEntry } from './config.ts'
import type { LanguageModel } from './load-model.ts'
import { openReader } from './read-parts.ts'
import { buildCall } from './request.ts'
import { part, refused } from './wire.ts'

export interface AnswerOptions {
  readonly provider: string
  readonly entry: PackageEntry
  readonly now: () => number
  load(): Promise<LanguageModel>
}

/** One answer of a model of the AI SDK. The last event is `end` or `failed`. */
export async function* answer(options: AnswerOptions, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  try {
    const model = await options.load()
    const settings = { ...options.entry, provider: options.provider, vendor: model.provider.split('.')[0] ?? model.provider }
    const { stream } = await model.doStream({ ...buildCall(request, settings), abortSignal: signal })
    yield* readStream(options, stream, signal)
  } catch (error) {
    yield signal.aborted ? { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } } : explain(options, error)
  }
}

async function* readStream(options: AnswerOptions, stream: ReadableStream<unknown>, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  const reader = stream.getReader()
  const read = openReader((error) => (error === undefined ? failure(options, 'the service broke its answer off') : explain(options, error)))
  // A package that takes no notice of the signal goes on by itself: nobody waits for it.
  const stop = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await reader.read()
      signal.throwIfAborted()
      if (next.done) return yield failure(options, 'the answer was cut off', 'MODEL_DISCONNECTED')
      const found = z.safeParse(part, next.value)
      for (const event of found.success ? read(found.data) : []) {
        yield event
        if (event.type === 'end' || event.type === 'failed') return
      }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** The host finds the class by the status and the words. */
function explain(options: AnswerOptions, error: unknown): ModelEvent {
  // Asking again makes no difference to settings; another model may answer.
  if (isAgentError(error))
    return { type: 'failed', class: error.code === 'ENV_MISSING' ? 'auth' : 'model_not_found', error: toWireError(error) }
  const found = z.safeParse(refused, error)
  if (!found.success) return failure(options, detailOf(error))
  const { message, statusCode: status = 200, responseHeaders, responseBody = '' } = found.data
  if (status === 200) return failure(options, message, isCut(error) ? 'MODEL_DISCONNECTED' : undefined)
  const failed = failure(options, status === 400 && !responseBody.includes(message) ? `${message} ${responseBody}` : message)
  const headers = new Headers(responseHeaders)
  // Where the service does not say, the host has its own pauses.
  const retryAfterMs = headers.has('retry-after') ? parseRetryAfter(headers, options.now()) : undefined
  const told = { ...failed.error, params: { ...failed.error.params, status } }
  return { ...failed, error: retryAfterMs === undefined ? told : { ...told, retryAfterMs } }
}

/** Node's words for a connection that ended too early, somewhere in the causes. */
function isCut(error: unknown): boolean {
  const words = /terminated|socket hang up|other side closed|ECONN|EPIPE|cannot connect|fetch failed/i
  return error instanceof Error && (words.test(error.message) || isCut(error.cause))
}

type Failed = Extract<ModelEvent, { type: 'failed' }>

function failure({ provider }: AnswerOptions, detail: string, code?: 'MODEL_DISCONNECTED'): Failed {
  return {
    type: 'failed',
    class: code ? 'disconnected' : 'unknown',
    error: { code: code ?? 'MODEL_UNKNOWN', params: { provider, detail } },
  }
}
