import type { Call, ModelEvent } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { failedEvent, unprovedEvent } from '../request/classify.ts'
import { reasonOf } from '../request/refusal.ts'
import type { PieceReader, Reply } from '../request/reply.ts'
import { send } from '../request/send.ts'
import { openEventFeed } from './events.ts'
import { flatten } from './flatten.ts'
import type { AnswerReader, Feed, ProtocolDeps } from './protocol.ts'
import type { Watch } from './watch.ts'

export interface Exchange {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or what becomes JSON. */
  readonly body: string | object
}

/** Where a reader puts its events; what comes after the last event is dropped. */
export interface Sink {
  emit(event: ModelEvent): void
  readonly ended: boolean
}

interface Prepared {
  readonly exchange: Exchange
  readonly reader: AnswerReader
  /** Absent: an event stream. */
  readonly feed?: Feed
}

type Prepare = (sink: Sink, signal: AbortSignal) => Prepared | Promise<Prepared>

/** One model call: sends the request, reads the answer, and ends with exactly one `end` or `failed`. */
export function streamAnswer(deps: ProtocolDeps, call: Call, prepare: Prepare): AsyncIterable<ModelEvent> {
  return flatten(() => readBatches(deps, call, prepare))
}

class Batch implements Sink {
  ended = false
  events: ModelEvent[] = []

  emit(event: ModelEvent): void {
    if (this.ended) return
    this.ended = event.type === 'end' || event.type === 'failed'
    this.events.push(event)
  }

  take(): readonly ModelEvent[] {
    const taken = this.events
    this.events = []
    return taken
  }
}

async function* readBatches(deps: ProtocolDeps, call: Call, prepare: Prepare): AsyncGenerator<readonly ModelEvent[], void> {
  const batch = new Batch()
  const watch = deps.watches.open(call)
  try {
    const { exchange, reader, feed } = await prepare(batch, watch.signal)
    watch.signal.throwIfAborted()
    const { endpoint, fetch, clock } = deps
    const answered = await send(endpoint, fetch, { method: 'POST', signal: watch.signal, ...exchange }, () => clock.now())
    if (answered.failed) batch.emit(answered.failed)
    else yield* readAnswer(answered.reply, { reader, feed: feed ?? openEventFeed(reader), batch, watch, deps })
  } catch (error) {
    batch.emit(brokenEvent(error, deps, watch))
  } finally {
    watch.close()
  }
  yield batch.take()
}

interface Reading {
  readonly reader: AnswerReader
  readonly feed: Feed
  readonly batch: Batch
  readonly watch: Watch
  readonly deps: ProtocolDeps
}

async function* readAnswer(response: Reply, { reader, feed, batch, watch, deps }: Reading): AsyncGenerator<readonly ModelEvent[], void> {
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('text/html') || !response.body) {
    const detail = `it answered with ${type || 'an empty body'} instead of a stream, so the base URL may be wrong`
    batch.emit(failedEvent(deps.endpoint, { class: 'unknown', detail }))
    return
  }
  if (type.includes('application/json')) {
    reader.read(await response.text())
    reader.finish()
    watch.complete()
    return
  }
  const body = response.body.getReader()
  while (!batch.ended) {
    const { done, value } = await body.read()
    if (done) {
      feed.end()
      reader.finish()
      watch.complete()
      return
    }
    watch.touch()
    if (value) feed.push(value)
    if (batch.events.length > 0 && !batch.ended) yield batch.take()
  }
  // Without the rest of the body the connection could not be used again.
  watch.complete(drain(body))
}

async function drain(body: PieceReader): Promise<void> {
  while (!(await body.read()).done) {
    // The answer is complete: what follows it is not for us.
  }
}

function brokenEvent(error: unknown, deps: ProtocolDeps, watch: Watch): ModelEvent {
  const { cause } = watch
  if (cause?.why === 'interrupted') return { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }
  if (cause) return failedEvent(deps.endpoint, { class: 'timeout', detail: cause.detail })
  if (isAgentError(error)) return unprovedEvent(error)
  const reason = reasonOf(error)
  const late = /timeout/i.test(reason)
  return failedEvent(deps.endpoint, { class: late ? 'timeout' : 'disconnected', detail: reason })
}
