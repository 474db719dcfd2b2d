import type { Call, Context, ModelErrorClass, ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { toWireError } from '@agent/plugin-sdk/errors'
import { describeError } from '@agent/plugin-sdk/http'
import { type Line, parseLine, readLines } from './wire.ts'

export interface Service {
  readonly url: string
  key(): Promise<string>
  readonly fetch: Context['fetch']
}

/** Asks the service and tells what it says. It never throws: a failure is the last event. */
export async function* streamAnswer(service: Service, request: ModelRequest, call: Call): AsyncGenerator<ModelEvent> {
  try {
    const response = await ask(service, request, call)
    if (response.ok && response.body) yield* readAnswer(response.body as unknown as AsyncIterable<Uint8Array>)
    else yield refuse(classOf(response.status), `it answered ${response.status}`)
  } catch (error) {
    yield call.signal.aborted ? { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } } : explain(error)
  }
}

async function* readAnswer(body: AsyncIterable<Uint8Array>): AsyncGenerator<ModelEvent> {
  for await (const text of readLines(body)) {
    const line = parseLine(text)
    if (line === undefined) return yield refuse('format_error', 'a line cannot be read')
    yield toEvent(line)
    if ('done' in line) return
  }
  yield refuse('disconnected', 'the answer has no end')
}

function explain(error: unknown): ModelEvent {
  const wire = toWireError(error)
  if (wire.code === 'ENV_MISSING') return { type: 'failed', class: 'auth', error: wire }
  return refuse('disconnected', describeError(error).detail)
}

async function ask({ url, key, fetch }: Service, request: ModelRequest, { signal }: Call): Promise<Response> {
  const { model, system, ephemeral, messages, tools } = request
  return await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await key()}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, system: [system, ephemeral].filter(Boolean).join('\n\n'), messages, tools }),
    signal,
  })
}

function toEvent(line: Line): ModelEvent {
  if ('text' in line) return { type: 'text', delta: line.text }
  if ('call' in line) return { type: 'call', id: line.call.id, name: line.call.name, args: line.call.arguments }
  const { reason, input, output } = line.done
  return { type: 'end', reason, usage: { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 } }
}

const classes: Readonly<Record<number, ModelErrorClass>> = { 401: 'auth', 402: 'billing', 404: 'model_not_found', 429: 'rate_limit' }

/** The class decides what the host does: wait and try again, take another model, or tell the person. */
function classOf(status: number): ModelErrorClass {
  return classes[status] ?? (status >= 500 ? 'server_error' : 'format_error')
}

function refuse(kind: ModelErrorClass, detail: string): ModelEvent {
  const code = `MODEL_${kind.toUpperCase()}`.replace('MODEL_MODEL_', 'MODEL_')
  return { type: 'failed', class: kind, error: { code, params: { provider: 'sample', detail } } }
}
