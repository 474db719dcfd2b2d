import type { InputPart, ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { asRecord } from '../../request/refusal.ts'
import { argumentsObject } from '../arguments.ts'

export type ConverseBlock = Record<string, unknown>
export interface ConverseMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ConverseBlock[]
}

interface Build {
  readonly provider: string
  /** The model takes it that a result says that it failed. */
  readonly tellsFailure: boolean
}

/** Tool results are what a user says; messages of one role in a row become one. */
export function buildMessages(messages: readonly ModelMessage[], build: Build): readonly ConverseMessage[] {
  const built: ConverseMessage[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = buildBlocks(message, build)
    const last = built.at(-1)
    if (last?.role === role) for (const block of content) last.content.push(block)
    else built.push({ role, content })
  }
  // A message without content is refused, and leaving it out would break the order of roles.
  for (const { content } of built) if (content.length === 0) content.push({ text: '(empty)' })
  return built
}

function buildBlocks(message: ModelMessage, { provider, tellsFailure }: Build): ConverseBlock[] {
  if (message.role === 'tool') return message.results.map((result) => buildResult(result, tellsFailure))
  if (message.role === 'user') return message.parts.flatMap(buildInput)
  return message.parts.flatMap((part) => {
    if (part.type === 'text') return textBlock(part.text)
    if (part.type === 'call') {
      return [{ toolUse: { toolUseId: cleanId(part.id), name: part.name, input: argumentsObject(part.args) } }]
    }
    const data = part.provider === provider ? asRecord(part.data) : undefined
    return data && (data.reasoningText || data.redactedContent) ? [{ reasoningContent: data }] : []
  })
}

function buildResult({ id, ok, text }: ToolOutcome, tellsFailure: boolean): ConverseBlock {
  const content = [{ text: text.trim() === '' ? '(no output)' : text }]
  return { toolResult: { toolUseId: cleanId(id), content, ...(ok || !tellsFailure ? {} : { status: 'error' }) } }
}

const formats: Readonly<Record<string, string>> = { png: 'png', jpeg: 'jpeg', jpg: 'jpeg', gif: 'gif', webp: 'webp' }

/** Images are taken as bytes only. */
function buildInput(part: InputPart): ConverseBlock[] {
  if (part.type === 'text') return textBlock(part.text)
  const [, type = '', bytes = ''] = /^data:image\/([^;,]+);base64,(.*)$/s.exec(part.url) ?? []
  const format = formats[type]
  if (format) return [{ image: { format, source: { bytes } } }]
  return [{ text: part.url.startsWith('data:') ? '(an image of a kind that cannot be shown here)' : `(an image at ${part.url})` }]
}

/** A text of white space alone is refused. */
function textBlock(text: string): ConverseBlock[] {
  return text.trim() === '' ? [] : [{ text }]
}

/** Ids made by other providers may hold signs that are refused here, or be too long. */
function cleanId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)
}
