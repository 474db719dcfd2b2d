import type { StopReason, Usage } from '@agent/plugin-sdk'
import { failedEvent } from '../../request/classify.ts'
import { parseJson, refusedInStream } from '../../request/refusal.ts'
import type { Sink } from '../answer.ts'
import type { AnswerReader, ProtocolDeps } from '../protocol.ts'
import { createTextForm } from '../text-form.ts'
import { openCallGatherer } from './calls.ts'
import { openReasoning } from './reasoning.ts'
import { noUsage, readChatUsage } from './usage.ts'
import type { ChatChoice, Chunk, Delta } from './wire.ts'

const reasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  // As other servers of this protocol call it.
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  content_filter: 'content-filter',
}

export function openChatReader(sink: Sink, { endpoint, newCallId }: Pick<ProtocolDeps, 'endpoint' | 'newCallId'>): AnswerReader {
  const calls = openCallGatherer(newCallId)
  const reasoning = openReasoning(sink)
  let finish: string | undefined
  let usage: Usage = noUsage

  const readDelta = (delta: Delta): void => {
    if (typeof delta.content === 'string' && delta.content !== '') sink.emit({ type: 'text', delta: delta.content })
    reasoning.read(delta)
    if (typeof delta.refusal === 'string' && delta.refusal !== '') sink.emit({ type: 'text', delta: delta.refusal })
    if (Array.isArray(delta.tool_calls)) for (const part of delta.tool_calls) calls.read(part)
  }
  const end = (): void => {
    const gathered = calls.take()
    const opaque = reasoning.take(gathered.length > 0)
    if (opaque !== undefined) sink.emit({ type: 'opaque', data: opaque })
    for (const call of gathered) sink.emit(call)
    const reason = reasons[finish ?? 'stop'] ?? 'stop'
    // Several servers say "stop" after calls.
    sink.emit({ type: 'end', reason: reason === 'stop' && gathered.length > 0 ? 'tool-calls' : reason, usage })
  }
  const readChoice = (choice: ChatChoice | undefined): void => {
    const delta = choice?.delta ?? choice?.message
    if (delta) readDelta(delta)
    if (choice?.finish_reason) finish = choice.finish_reason
  }
  const form = createTextForm<Chunk>({ textOf: contentAlone, onText: (delta) => sink.emit({ type: 'text', delta }) })
  return {
    read(data) {
      if (form.read(data)) return
      if (data === '[DONE]') return end()
      const chunk = parseJson(data) as Chunk | undefined | null
      if (typeof chunk !== 'object' || chunk === null) return
      if (chunk.error) return sink.emit(refusedInStream(chunk.error, endpoint))
      if (chunk.usage) usage = readChatUsage(chunk.usage)
      if (Array.isArray(chunk.choices)) readChoice(chunk.choices[0])
      form.learn(data, chunk)
    },
    finish() {
      if (sink.ended) return
      if (finish !== undefined) return end()
      sink.emit(failedEvent(endpoint, { class: 'disconnected', detail: 'the answer stopped in the middle' }))
    },
  }
}

/** The text of a chunk that says nothing else. */
function contentAlone({ error, usage, choices }: Chunk): string | undefined {
  const choice = Array.isArray(choices) ? choices[0] : undefined
  const delta = choice?.delta
  if (error || usage || !delta || choice.finish_reason) return undefined
  const { content, refusal, reasoning, reasoning_content: named, reasoning_details: details, tool_calls: calls } = delta
  return typeof content === 'string' && !(refusal || reasoning || named || details || calls) ? content : undefined
}
