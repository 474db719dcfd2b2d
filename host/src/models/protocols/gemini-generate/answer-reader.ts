import type { ModelErrorClass, StopReason, Wire } from '@agent/plugin-sdk'
import { failedEvent } from '../../request/classify.ts'
import { asRecord, parseJson, refusedInStream } from '../../request/refusal.ts'
import type { Sink } from '../answer.ts'
import type { AnswerReader, ProtocolDeps } from '../protocol.ts'
import { readGenerateUsage } from './usage.ts'
import type { GenerateCandidate, GenerateChunk, GeneratePart, GenerateUsage } from './wire.ts'

const reasons: Readonly<Record<string, StopReason>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
}

/** The model wrote what nobody can use: another try may end better. */
const failures: Readonly<Record<string, ModelErrorClass>> = {
  MALFORMED_FUNCTION_CALL: 'server_error',
  MALFORMED_RESPONSE: 'server_error',
  UNEXPECTED_TOOL_CALL: 'server_error',
  TOO_MANY_TOOL_CALLS: 'server_error',
  MISSING_THOUGHT_SIGNATURE: 'thinking_signature',
}

/** Code Assist puts each piece of an answer into an envelope; what it refuses comes without one. */
function unwrap(chunk: GenerateChunk): GenerateChunk {
  return (asRecord(chunk.response) as GenerateChunk | undefined) ?? chunk
}

export function openGenerateReader(sink: Sink, { endpoint, newCallId }: Pick<ProtocolDeps, 'endpoint' | 'newCallId'>): AnswerReader {
  let finish: string | undefined
  let usage: GenerateUsage | undefined
  let called = false

  const readCall = (call: NonNullable<GeneratePart['functionCall']>, signature: string | undefined): void => {
    called = true
    const own = textOf(call.id)
    const id = own ?? newCallId()
    if (own || signature) sink.emit({ type: 'opaque', data: echoOf(id, own, signature) })
    sink.emit({ type: 'call', id, name: textOf(call.name) ?? '', args: JSON.stringify(asRecord(call.args) ?? {}) })
  }
  const readPart = (part: GeneratePart): void => {
    const delta = textOf(part.text)
    if (asRecord(part.functionCall)) readCall(part.functionCall ?? {}, textOf(part.thoughtSignature))
    else if (delta) sink.emit({ type: part.thought === true ? 'reasoning' : 'text', delta })
  }
  const readCandidate = ({ content, finishReason, finishMessage }: GenerateCandidate): void => {
    const parts = content?.parts
    if (Array.isArray(parts)) for (const part of parts) if (asRecord(part)) readPart(part)
    const found = textOf(finishReason)
    if (!found) return
    finish = found
    const failed = failures[found]
    if (failed) sink.emit(failedEvent(endpoint, { class: failed, detail: [found, textOf(finishMessage)].filter(Boolean).join(': ') }))
  }
  const readChunk = (chunk: GenerateChunk): void => {
    if (chunk.error) sink.emit(refusedInStream(chunk.error, endpoint))
    if (chunk.usageMetadata) usage = chunk.usageMetadata
    const blocked = textOf(chunk.promptFeedback?.blockReason)
    if (blocked) {
      const detail = `the prompt was blocked: ${textOf(chunk.promptFeedback?.blockReasonMessage) ?? blocked}`
      sink.emit(failedEvent(endpoint, { class: 'content_policy_blocked', detail }))
    }
    const [candidate] = Array.isArray(chunk.candidates) ? chunk.candidates : []
    if (candidate) readCandidate(candidate)
  }
  return {
    read(data) {
      const read = parseJson(data)
      // Without an event stream the same pieces come as one list.
      for (const chunk of Array.isArray(read) ? read : [read]) if (asRecord(chunk)) readChunk(unwrap(chunk as GenerateChunk))
    },
    // Token counts may come after the reason: only the end of the body ends an answer.
    finish() {
      if (sink.ended) return
      if (finish === undefined)
        return sink.emit(failedEvent(endpoint, { class: 'disconnected', detail: 'the answer stopped in the middle' }))
      sink.emit({ type: 'end', reason: reasons[finish] ?? (called ? 'tool-calls' : 'stop'), usage: readGenerateUsage(usage) })
    },
  }
}

function echoOf(call: string, id: string | undefined, thoughtSignature: string | undefined): Wire {
  return { call, ...(id ? { id } : {}), ...(thoughtSignature ? { thoughtSignature } : {}) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
