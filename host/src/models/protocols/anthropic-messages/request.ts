import type { ModelMessage, ModelRequest, ToolChoice } from '@agent/plugin-sdk'
import type { Endpoint } from '../../request/endpoint.ts'
import { asRecord } from '../../request/refusal.ts'
import { argumentsObject } from '../arguments.ts'
import { buildThinking, outputLimit, takesTemperature } from './thinking.ts'

type Json = Record<string, unknown>
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: Json[]
}
const marker = { type: 'ephemeral' }

/** The body of a message. At most four cache markers: last tool, system text, and the last two messages. */
export function buildMessagesRequest(request: ModelRequest, endpoint: Pick<Endpoint, 'provider' | 'quirks'>): Json {
  const marked = endpoint.quirks.promptCache !== 'none'
  const messages = buildMessages(request.messages, endpoint.provider)
  if (marked) for (const message of messages.slice(-2)) markLastBlock(message)
  const body: Json = {
    ...(endpoint.quirks.modelInPath ? { anthropic_version: endpoint.quirks.modelInPath.version } : { model: request.model }),
    max_tokens: request.maxOutputTokens ?? outputLimit(request.model),
    messages,
    stream: true,
  }
  const system = buildSystem(request, marked)
  if (system.length > 0) body.system = system
  if (request.tools.length > 0) {
    body.tools = request.tools.map(({ name, description, parameters }, index) => ({
      name,
      description,
      input_schema: parameters,
      ...(marked && index === request.tools.length - 1 ? { cache_control: marker } : {}),
    }))
    if (endpoint.quirks.parallelToolCalls === false) body.tool_choice = { type: 'auto', disable_parallel_tool_use: true }
  }
  const thinking = buildThinking(request)
  // With thinking on, a forced call is refused.
  if (request.tools.length > 0 && request.toolChoice !== undefined && (request.toolChoice === 'none' || !thinking.thinking))
    body.tool_choice = buildChoice(request.toolChoice)
  // With thinking on, a temperature is refused.
  if (request.temperature !== undefined && !thinking.thinking && takesTemperature(request.model)) body.temperature = request.temperature
  return Object.assign(body, thinking)
}

function buildChoice(choice: ToolChoice): Json {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name }
  return { type: choice === 'required' ? 'any' : choice }
}

function buildSystem({ system, ephemeral }: ModelRequest, marked: boolean): Json[] {
  const blocks: Json[] = []
  if (system) blocks.push({ type: 'text', text: system, ...(marked ? { cache_control: marker } : {}) })
  if (ephemeral) blocks.push({ type: 'text', text: ephemeral })
  return blocks
}

/** Tool results are what a user says; messages of one role in a row become one. */
function buildMessages(messages: readonly ModelMessage[], provider: string): Message[] {
  const built: Message[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = buildBlocks(message, provider)
    const last = built.at(-1)
    if (last?.role === role) for (const block of content) last.content.push(block)
    else built.push({ role, content })
  }
  // A message without content is refused, and leaving it out would break the order of roles.
  for (const { content } of built) if (content.length === 0) content.push({ type: 'text', text: '(empty)' })
  return built
}

function buildBlocks(message: ModelMessage, provider: string): Json[] {
  if (message.role === 'tool') {
    return message.results.map(({ id, ok, text }) => ({
      type: 'tool_result',
      tool_use_id: cleanId(id),
      content: text || '(no output)',
      ...(ok ? {} : { is_error: true }),
    }))
  }
  if (message.role === 'user')
    return message.parts.flatMap((part) => (part.type === 'text' ? textBlock(part.text) : [imageBlock(part.url)]))
  return message.parts.flatMap((part) => {
    if (part.type === 'text') return textBlock(part.text)
    if (part.type === 'call') return [{ type: 'tool_use', id: cleanId(part.id), name: part.name, input: argumentsObject(part.args) }]
    return part.provider === provider && asRecord(part.data) ? [{ ...asRecord(part.data) }] : []
  })
}

/** A text of white space alone is refused. */
function textBlock(text: string): Json[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function imageBlock(url: string): Json {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url)
  return { type: 'image', source: data ? { type: 'base64', media_type: data[1], data: data[2] } : { type: 'url', url } }
}

/** Ids made by other providers may hold signs that are refused here. */
function cleanId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** Blocks of thinking cannot carry a marker. */
function markLastBlock({ content }: Message): void {
  const index = content.findLastIndex((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking')
  const block = content[index]
  if (block) content[index] = { ...block, cache_control: marker }
}
