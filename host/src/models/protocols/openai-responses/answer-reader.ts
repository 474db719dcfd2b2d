import type { StopReason, Wire } from '@agent/plugin-sdk'
import { failedEvent } from '../../request/classify.ts'
import { asRecord, parseJson, refusedInStream } from '../../request/refusal.ts'
import type { Sink } from '../answer.ts'
import type { AnswerReader, ProtocolDeps } from '../protocol.ts'
import { readResponsesUsage } from './usage.ts'
import type { Item, ResponseBody, ResponsesEvent } from './wire.ts'

type Handlers = Readonly<Record<string, (event: ResponsesEvent) => void>>

export function openResponsesReader(sink: Sink, { endpoint, newCallId }: Pick<ProtocolDeps, 'endpoint' | 'newCallId'>): AnswerReader {
  const seen = { calls: false }
  const gathered = new Map<unknown, string>()
  /** Calls that have begun: where one is cut off, its end may be missing. */
  const open = new Map<unknown, Item>()
  const text = ({ delta }: ResponsesEvent): void => {
    if (typeof delta === 'string' && delta !== '') sink.emit({ type: 'text', delta })
  }
  const reasoning = ({ delta }: ResponsesEvent): void => {
    if (typeof delta === 'string' && delta !== '') sink.emit({ type: 'reasoning', delta })
  }
  const item = (done: Item | undefined, index: unknown): void => {
    open.delete(index)
    if (done?.type === 'function_call') {
      seen.calls = true
      const args = done.arguments || gathered.get(index) || '{}'
      sink.emit({ type: 'call', id: done.call_id || done.id || newCallId(), name: done.name ?? '', args })
    } else if (done?.type === 'reasoning' && done.encrypted_content) sink.emit({ type: 'opaque', data: replayable(done) })
  }
  const end = ({ response }: ResponsesEvent): void => {
    if (response?.incomplete_details) for (const [index, begun] of [...open]) item(begun, index)
    const reason = stopReason(response, seen.calls)
    sink.emit({ type: 'end', reason, usage: readResponsesUsage(response?.usage) })
  }
  const failed = (error: unknown): void => sink.emit(refusedInStream(error, endpoint))
  const handlers: Handlers = {
    'response.output_text.delta': text,
    'response.refusal.delta': text,
    'response.reasoning_summary_text.delta': reasoning,
    'response.reasoning_text.delta': reasoning,
    'response.reasoning_summary_part.added': ({ summary_index: index }) => {
      if (typeof index === 'number' && index > 0) sink.emit({ type: 'reasoning', delta: '\n\n' })
    },
    'response.output_item.added': ({ item: begun, output_index: index }) => {
      if (begun?.type === 'function_call') open.set(index, begun)
    },
    'response.function_call_arguments.delta': ({ output_index: index, delta }) => {
      if (typeof delta === 'string') gathered.set(index, (gathered.get(index) ?? '') + delta)
    },
    'response.output_item.done': (event) => item(event.item, event.output_index),
    'response.completed': end,
    'response.incomplete': end,
    'response.failed': ({ response }) => failed(response?.error),
    error: (event) => failed(event.error ?? event),
  }
  return {
    read(data) {
      const event = asRecord(parseJson(data)) as ResponsesEvent | undefined
      if (!event) return
      if (event.object === 'response') readWhole(event as ResponseBody, { sink, item, end, failed })
      else if (event.type) handlers[event.type]?.(event)
      else if (event.error) failed(event.error)
    },
    finish() {
      if (sink.ended) return
      sink.emit(failedEvent(endpoint, { class: 'disconnected', detail: 'the answer stopped in the middle' }))
    },
  }
}

interface WholeReading {
  readonly sink: Sink
  item(done: Item | undefined, index: unknown): void
  end(event: ResponsesEvent): void
  failed(error: unknown): void
}

/** A server that does not stream sends the response as one body. */
function readWhole(response: ResponseBody, { sink, item, end, failed }: WholeReading): void {
  if (response.status === 'failed') {
    failed(response.error)
    return
  }
  for (const [index, output] of (response.output ?? []).entries()) {
    for (const { text } of output.type === 'message' ? (output.content ?? []) : []) if (text) sink.emit({ type: 'text', delta: text })
    item(output, index)
  }
  end({ response })
}

function stopReason(response: ResponseBody | undefined, hasCalls: boolean): StopReason {
  const cut = response?.incomplete_details?.reason
  if (cut === 'max_output_tokens') return 'length'
  if (cut === 'content_filter') return 'content-filter'
  return hasCalls ? 'tool-calls' : 'stop'
}

/** The item as it may be sent back: `status` is refused in a request. */
function replayable({ type, id, summary, encrypted_content: encrypted }: Item): Wire {
  return { type, id, summary: (summary ?? []) as Wire, encrypted_content: encrypted } as Wire
}
