import type { StopReason, Wire } from '@agent/plugin-sdk'
import { failedEvent } from '../../request/classify.ts'
import { asRecord, parseJson, refusedInStream } from '../../request/refusal.ts'
import type { Sink } from '../answer.ts'
import type { AnswerReader, ProtocolDeps } from '../protocol.ts'
import { createTextForm, type TextForm } from '../text-form.ts'
import { readMessagesUsage } from './usage.ts'
import type { ContentBlock, MessagesEvent, MessagesUsage } from './wire.ts'

const reasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
}

/** Where each kind of delta has its text. */
const textFields: Readonly<Record<string, 'text' | 'thinking' | 'partial_json'>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
}

interface Open {
  readonly block: ContentBlock
  /** JSON of a call, or the text of a thought, as far as it came. */
  text: string
  signature: string
}

export function openMessagesReader(sink: Sink, { endpoint, newCallId }: Pick<ProtocolDeps, 'endpoint' | 'newCallId'>): AnswerReader {
  const open = new Map<number | undefined, Open>()
  const usages: MessagesUsage[] = []
  let stop: string | undefined

  const end = (): void => sink.emit({ type: 'end', reason: reasons[stop ?? ''] ?? 'stop', usage: readMessagesUsage(usages) })
  const start = ({ index, content_block: block }: MessagesEvent): void => {
    if (!block) return
    open.set(index, { block, text: block.thinking ?? '', signature: block.signature ?? '' })
    if (block.type === 'text' && block.text) sink.emit({ type: 'text', delta: block.text })
    if (block.type === 'thinking' && block.thinking) sink.emit({ type: 'reasoning', delta: block.thinking })
  }
  const readDelta = ({ index, delta }: MessagesEvent): void => {
    if (delta?.type === 'text_delta') {
      if (delta.text) sink.emit({ type: 'text', delta: delta.text })
      return
    }
    const current = open.get(index)
    if (!current || !delta) return
    if (delta.thinking) sink.emit({ type: 'reasoning', delta: delta.thinking })
    current.text += delta.thinking ?? delta.partial_json ?? ''
    current.signature += delta.signature ?? ''
  }
  const form = openDeltaForm(sink, readDelta)
  const close = ({ index }: MessagesEvent): void => {
    const current = open.get(index)
    open.delete(index)
    if (!current) return
    const { block, text } = current
    if (block.type === 'tool_use')
      sink.emit({ type: 'call', id: block.id || newCallId(), name: block.name ?? '', args: text || inputText(block) })
    const opaque = replayable(current)
    if (opaque !== undefined) sink.emit({ type: 'opaque', data: opaque })
  }
  const handlers: Readonly<Record<string, (event: MessagesEvent) => void>> = {
    message_start: ({ message }) => {
      if (message?.usage) usages.push(message.usage)
    },
    content_block_start: start,
    content_block_delta: readDelta,
    content_block_stop: close,
    message_delta: ({ delta, usage }) => {
      if (delta?.stop_reason) stop = delta.stop_reason
      if (usage) usages.push(usage)
    },
    message_stop: end,
    error: ({ error }) => sink.emit(refusedInStream(error, endpoint)),
    message: (whole) => {
      for (const [index, block] of (whole.content ?? []).entries()) {
        start({ index, content_block: block })
        close({ index })
      }
      stop = whole.stop_reason ?? undefined
      if (whole.usage) usages.push(whole.usage)
      end()
    },
  }
  return {
    read(data) {
      if (form.read(data)) return
      const event = asRecord(parseJson(data)) as MessagesEvent | undefined
      if (!event?.type) return
      handlers[event.type]?.(event)
      if (event.type === 'content_block_delta') form.learn(data, event)
    },
    finish() {
      if (sink.ended) return
      if (stop !== undefined) return end()
      sink.emit(failedEvent(endpoint, { class: 'disconnected', detail: 'the answer stopped in the middle' }))
    },
  }
}

function openDeltaForm(sink: Sink, readDelta: (event: MessagesEvent) => void): TextForm<MessagesEvent> {
  return createTextForm({
    textOf: deltaText,
    onText(text, like) {
      const type = like.delta?.type ?? ''
      if (type === 'text_delta') sink.emit({ type: 'text', delta: text })
      else readDelta({ ...like, delta: { [textFields[type] ?? '']: text } })
    },
  })
}

/** The text of a delta that brings nothing else. */
function deltaText({ type, delta }: MessagesEvent): string | undefined {
  const field = textFields[delta?.type ?? '']
  return type === 'content_block_delta' && delta && field && Object.keys(delta).length === 2 ? delta[field] : undefined
}

function inputText({ input }: ContentBlock): string {
  return asRecord(input) ? JSON.stringify(input) : '{}'
}

/** Signed reasoning must come back exactly as it was sent. */
function replayable({ block, text, signature }: Open): Wire | undefined {
  if (block.type === 'thinking' && signature) return { type: 'thinking', thinking: text, signature }
  return block.type === 'redacted_thinking' && block.data ? { type: 'redacted_thinking', data: block.data } : undefined
}
