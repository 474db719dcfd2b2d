import type { StopReason, Wire } from '@agent/plugin-sdk'
import { failedEvent } from '../../request/classify.ts'
import { asRecord, parseJson, refusedInStream } from '../../request/refusal.ts'
import type { Sink } from '../answer.ts'
import type { AnswerReader, ProtocolDeps } from '../protocol.ts'
import type { Frame } from './frames.ts'
import { readConverseUsage } from './usage.ts'
import type { ConverseDelta, ConverseEvent, ConverseUsage } from './wire.ts'

const reasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
}
/** The model wrote what nobody can use: another try may end better. */
const malformed = new Set(['malformed_model_output', 'malformed_tool_use'])

interface Open {
  call?: { readonly id: string; readonly name: string }
  /** JSON of a call, or the text of a thought, as far as it came. */
  text: string
  signature: string
  redacted: string
}

type Handlers = Readonly<Record<string, (event: ConverseEvent) => void>>

export interface ConverseReader extends AnswerReader {
  readFrame(frame: Frame): void
}

export function openConverseReader(sink: Sink, { endpoint, newCallId }: Pick<ProtocolDeps, 'endpoint' | 'newCallId'>): ConverseReader {
  const open = new Map<number | undefined, Open>()
  let stop: string | undefined
  let usage: ConverseUsage | undefined

  const blockAt = (index: number | undefined): Open => {
    const block = open.get(index) ?? { text: '', signature: '', redacted: '' }
    open.set(index, block)
    return block
  }
  const readBlock = (index: number | undefined, { toolUse, reasoningContent: thought }: ConverseDelta): void => {
    const block = blockAt(index)
    if (thought?.text) sink.emit({ type: 'reasoning', delta: thought.text })
    block.text += toolUse?.input ?? thought?.text ?? ''
    block.signature += thought?.signature ?? ''
    block.redacted += thought?.redactedContent ?? ''
  }
  const close = (index: number | undefined): void => {
    const block = open.get(index)
    open.delete(index)
    if (!block) return
    if (block.call) sink.emit({ type: 'call', ...block.call, args: block.text || '{}' })
    const opaque = replayable(block)
    if (opaque !== undefined) sink.emit({ type: 'opaque', data: opaque })
  }
  const end = (): void => {
    const failed = stop !== undefined && malformed.has(stop)
    if (failed) sink.emit(failedEvent(endpoint, { class: 'server_error', detail: `the model ended with ${stop}` }))
    else sink.emit({ type: 'end', reason: reasons[stop ?? ''] ?? 'stop', usage: readConverseUsage(usage) })
  }
  const handlers: Handlers = {
    contentBlockStart: ({ contentBlockIndex: index, start }) => {
      const { toolUse } = start ?? {}
      if (toolUse) blockAt(index).call = { id: toolUse.toolUseId || newCallId(), name: toolUse.name ?? '' }
    },
    contentBlockDelta: ({ contentBlockIndex: index, delta }) => {
      if (delta?.text) sink.emit({ type: 'text', delta: delta.text })
      else if (delta) readBlock(index, delta)
    },
    contentBlockStop: ({ contentBlockIndex: index }) => close(index),
    messageStop: ({ stopReason }) => {
      // The limit may cut a call off before its end.
      for (const index of [...open.keys()]) close(index)
      stop = stopReason ?? 'end_turn'
    },
    metadata: (event) => {
      usage = event.usage
      if (stop !== undefined) end()
    },
  }
  return {
    readFrame({ headers, payload }) {
      const event = (asRecord(parseJson(payload)) ?? {}) as ConverseEvent
      const kind = headers[':message-type']
      if (kind === 'event') handlers[headers[':event-type'] ?? '']?.(event)
      else if (kind === 'exception') {
        const type = nameOf(headers[':exception-type'] ?? '')
        sink.emit(refusedInStream({ message: event.message ?? event.Message, type }, endpoint))
      } else if (kind === 'error') {
        sink.emit(refusedInStream({ message: headers[':error-message'], type: nameOf(headers[':error-code'] ?? '') }, endpoint))
      }
    },
    read() {
      sink.emit(failedEvent(endpoint, { class: 'unknown', detail: 'it answered without a stream, so the base URL may be wrong' }))
    },
    finish() {
      if (sink.ended) return
      if (stop !== undefined) end()
      else sink.emit(failedEvent(endpoint, { class: 'disconnected', detail: 'the answer stopped in the middle' }))
    },
  }
}

/** In a stream the names of exceptions begin small, elsewhere with a capital. */
function nameOf(kind: string): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1)
}

/** Signed reasoning must come back exactly as it was sent. */
function replayable({ text, signature, redacted }: Open): Wire | undefined {
  if (redacted) return { redactedContent: redacted }
  return signature ? { reasoningText: { text, signature } } : undefined
}
