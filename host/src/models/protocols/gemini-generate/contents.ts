import type { AssistantPart, InputPart, ModelMessage, ModelRequest } from '@agent/plugin-sdk'
import { asRecord } from '../../request/refusal.ts'
import { argumentsObject } from '../arguments.ts'
import { needsSignatures } from './thinking.ts'
import type { Echo } from './wire.ts'

type Json = Record<string, unknown>
interface Content {
  readonly role: 'user' | 'model'
  readonly parts: Json[]
}

/** The vendor's own word for a call that some other model made. */
const foreignCall = 'skip_thought_signature_validator'

/** Roles alternate; results go back with the names of their calls, and with the ids that the vendor gave. */
export function buildContents({ messages, model }: Pick<ModelRequest, 'messages' | 'model'>, provider: string): readonly Content[] {
  const echoes = findEchoes(messages, provider)
  const signs = needsSignatures(model)
  const built: Content[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user'
    const parts = buildParts(message, echoes, signs)
    const last = built.at(-1)
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else built.push({ role, parts })
  }
  // A content without parts is refused, and leaving it out would break the order of roles.
  for (const { parts } of built) if (parts.length === 0) parts.push({ text: '(empty)' })
  return built
}

function findEchoes(messages: readonly ModelMessage[], provider: string): ReadonlyMap<string, Echo> {
  const echoes = new Map<string, Echo>()
  for (const message of messages) {
    for (const part of message.role === 'assistant' ? message.parts : []) {
      const data = part.type === 'opaque' && part.provider === provider ? asRecord(part.data) : undefined
      if (typeof data?.call === 'string') echoes.set(data.call, { ...data, call: data.call })
    }
  }
  return echoes
}

function buildParts(message: ModelMessage, echoes: ReadonlyMap<string, Echo>, signs: boolean): Json[] {
  if (message.role === 'assistant') return buildModelParts(message.parts, echoes, signs)
  if (message.role === 'user') return message.parts.flatMap(buildInput)
  return message.results.map(({ id, name, ok, text }) => ({
    functionResponse: { ...idOf(echoes.get(id)), name, response: ok ? { output: text } : { error: text } },
  }))
}

function buildModelParts(parts: readonly AssistantPart[], echoes: ReadonlyMap<string, Echo>, signs: boolean): Json[] {
  let isFirst = true
  return parts.flatMap((part): Json[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }]
    if (part.type === 'opaque') return []
    const echo = echoes.get(part.id)
    const signature = echo?.thoughtSignature ?? (signs && isFirst ? foreignCall : undefined)
    isFirst = false
    const functionCall = { ...idOf(echo), name: part.name, args: argumentsObject(part.args) }
    return [{ functionCall, ...(signature ? { thoughtSignature: signature } : {}) }]
  })
}

const idOf = (echo: Echo | undefined): { id?: string } => (echo?.id ? { id: echo.id } : {})

function buildInput(part: InputPart): Json[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }]
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(part.url)
  if (data) return [{ inlineData: { mimeType: data[1], data: data[2] } }]
  return [{ fileData: { mimeType: typeOf(part.url), fileUri: part.url } }]
}

function typeOf(url: string): string {
  const ending = /\.(png|webp|gif|heic|heif)(?:[?#]|$)/i.exec(url)?.[1]
  return `image/${ending?.toLowerCase() ?? 'jpeg'}`
}
