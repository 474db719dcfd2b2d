import { createHash } from 'node:crypto'
import type { AssistantPart, InputPart, ModelMessage, ModelRequest, ToolChoice, ToolSpec, Wire } from '@agent/plugin-sdk'
import type { Endpoint } from '../../request/endpoint.ts'
import { asRecord } from '../../request/refusal.ts'
import { argumentsText } from '../arguments.ts'

type Json = Record<string, unknown>
const marker = { type: 'ephemeral' }

/**
 * Writes bodies of chat completions, as JSON. The tools are half of a short one and mostly the same list as before, whose text is kept: written
 * each time they take a twentieth of what a turn costs.
 */
export function createChatWriter(endpoint: Pick<Endpoint, 'provider' | 'quirks'>): (request: ModelRequest) => string {
  const written = new WeakMap<readonly ToolSpec[], string>()
  const writeTools = (tools: readonly ToolSpec[]): string => {
    const known = written.get(tools)
    if (known !== undefined) return known
    const text = JSON.stringify(
      tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } })),
    )
    written.set(tools, text)
    return text
  }
  return (request) => {
    const text = JSON.stringify(buildWithoutTools(request, endpoint))
    return request.tools.length === 0 ? text : `${text.slice(0, -1)},"tools":${writeTools(request.tools)}}`
  }
}

/** Fields that strict servers refuse are sent only where the manifest asks for them. */
function buildWithoutTools(request: ModelRequest, endpoint: Pick<Endpoint, 'provider' | 'quirks'>): Json {
  const { quirks } = endpoint
  const body: Json = { model: request.model, messages: buildMessages(request, endpoint), stream: true }
  if (quirks.usageInStream !== false) body.stream_options = { include_usage: true }
  if (request.tools.length > 0) {
    if (quirks.parallelToolCalls !== undefined) body.parallel_tool_calls = quirks.parallelToolCalls
    if (request.toolChoice !== undefined) body.tool_choice = buildChoice(request.toolChoice)
  }
  const { maxTokensField: limit = 'max_tokens' } = quirks
  if (request.maxOutputTokens !== undefined && limit !== 'none') body[limit] = request.maxOutputTokens
  if (request.temperature !== undefined && quirks.temperature !== false) body.temperature = request.temperature
  if (request.reasoning !== undefined) Object.assign(body, buildReasoning(request.reasoning, quirks.reasoningField))
  if (quirks.promptCache === 'key') body.prompt_cache_key = request.session
  return body
}

const buildChoice = (choice: ToolChoice): string | Json =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }

function buildReasoning(effort: string, field: Endpoint['quirks']['reasoningField']): Json {
  const isOn = effort !== 'none'
  switch (field) {
    case 'none':
      return {}
    case 'reasoning':
      return { reasoning: { effort } }
    case 'thinking':
      return { thinking: { type: isOn ? 'enabled' : 'disabled' } }
    case 'enable_thinking':
      return { enable_thinking: isOn }
    default:
      return { reasoning_effort: effort }
  }
}

function buildMessages(request: ModelRequest, { provider, quirks }: Pick<Endpoint, 'provider' | 'quirks'>): Json[] {
  const marked = quirks.promptCache === 'markers'
  const messages = buildSystem(request, marked)
  const idOf = quirks.callIds === 'nine' ? shortId : (id: string): string => id
  for (const message of request.messages) for (const built of buildMessage(message, provider, idOf)) messages.push(built)
  if (marked) markLastUsers(messages)
  return messages
}

/** One system message, since many chat templates refuse a second one; the stable text stays a prefix of it, byte for byte. */
function buildSystem({ system, ephemeral }: ModelRequest, marked: boolean): Json[] {
  if (!system && !ephemeral) return []
  if (marked && system) {
    const parts: Json[] = [{ type: 'text', text: system, cache_control: marker }]
    if (ephemeral) parts.push({ type: 'text', text: ephemeral })
    return [{ role: 'system', content: parts }]
  }
  return [{ role: 'system', content: [system, ephemeral].filter(Boolean).join('\n\n') }]
}

/** What an id of a call becomes; the same one always becomes the same. */
type IdOf = (id: string) => string

/** Nine letters and digits; an id that is so already is left alone. */
function shortId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id
  return createHash('sha256').update(id).digest('base64').replaceAll(/[+/=]/g, '').slice(0, 9)
}

function buildMessage(message: ModelMessage, provider: string, idOf: IdOf): Json[] {
  if (message.role === 'user') return [{ role: 'user', content: buildContent(message.parts) }]
  if (message.role === 'assistant') return [buildAssistant(message.parts, provider, idOf)]
  return message.results.map((result) => ({ role: 'tool', tool_call_id: idOf(result.id), content: result.text }))
}

function buildContent(parts: readonly InputPart[]): string | Json[] {
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n\n')
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } },
  )
}

function buildAssistant(parts: readonly AssistantPart[], provider: string, idOf: IdOf): Json {
  const text: string[] = []
  const calls: Json[] = []
  let reasoning: { readonly [key: string]: unknown } = {}
  for (const part of parts) {
    if (part.type === 'text') text.push(part.text)
    else if (part.type === 'call')
      calls.push({ id: idOf(part.id), type: 'function', function: { name: part.name, arguments: argumentsText(part.args) } })
    else if (part.provider === provider) reasoning = { ...reasoning, ...replayedReasoning(part.data) }
  }
  const content = text.join('') || (calls.length > 0 ? null : '')
  // Reasoning is only wanted back beside the calls that came of it.
  return calls.length > 0 ? { role: 'assistant', content, ...reasoning, tool_calls: calls } : { role: 'assistant', content }
}

function replayedReasoning(data: Wire): Json {
  const record = asRecord(data)
  if (record?.reasoning_details !== undefined) return { reasoning_details: record.reasoning_details }
  return record?.reasoning_content === undefined ? {} : { reasoning_content: record.reasoning_content }
}

/** Markers on the last two things a person said. Tool messages get none: proxies refuse them there. */
function markLastUsers(messages: Json[]): void {
  const users = messages.filter((message) => message.role === 'user').slice(-2)
  for (const message of users) {
    const parts: Json[] = Array.isArray(message.content) ? message.content : [{ type: 'text', text: message.content }]
    message.content = parts.map((part, index) => (index === parts.length - 1 ? { ...part, cache_control: marker } : part))
  }
}
