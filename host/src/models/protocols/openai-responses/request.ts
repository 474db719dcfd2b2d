import type { AssistantPart, InputPart, ModelMessage, ModelRequest } from '@agent/plugin-sdk'
import type { Endpoint } from '../../request/endpoint.ts'
import { argumentsText } from '../arguments.ts'
import { effortOf, isThinking, takesTemperature } from './families.ts'

type Json = Record<string, unknown>
type Quirks = Endpoint['quirks']

/** A lower limit of an answer is refused. */
const leastLimit = 16

/** The body of a response. Nothing is stored at the vendor: reasoning comes encrypted and is sent back. */
export function buildResponsesRequest(request: ModelRequest, endpoint: Pick<Endpoint, 'provider' | 'quirks'>): Json {
  const { quirks } = endpoint
  const body: Json = {
    model: request.model,
    input: request.messages.flatMap((message) => buildItems(message, endpoint.provider)),
    stream: true,
    store: false,
  }
  // The stable text stays a prefix, byte for byte.
  const instructions = [request.system, request.ephemeral].filter(Boolean).join('\n\n')
  if (instructions) body.instructions = instructions
  if (request.tools.length > 0) {
    body.tools = request.tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict: false,
    }))
    if (quirks.parallelToolCalls !== undefined) body.parallel_tool_calls = quirks.parallelToolCalls
    const choice = request.toolChoice
    if (choice !== undefined) body.tool_choice = typeof choice === 'string' ? choice : { type: 'function', name: choice.name }
  }
  if (quirks.promptCache === 'key') body.prompt_cache_key = request.session
  return Object.assign(body, buildLimits(request, quirks), buildReasoning(request, quirks))
}

function buildLimits(request: ModelRequest, quirks: Quirks): Json {
  const { maxOutputTokens: most, temperature } = request
  return {
    ...(most === undefined || quirks.maxTokensField === 'none' ? {} : { max_output_tokens: Math.max(most, leastLimit) }),
    ...(temperature === undefined || quirks.temperature === false || !takesTemperature(request) ? {} : { temperature }),
  }
}

function buildReasoning(request: ModelRequest, quirks: Quirks): Json {
  if (!isThinking(request.model)) return {}
  const include = ['reasoning.encrypted_content']
  const effort = effortOf(request)
  if (effort === undefined || quirks.reasoningField === 'none') return { include }
  return { include, reasoning: request.reasoning === 'none' ? { effort } : { effort, summary: 'auto' } }
}

function buildItems(message: ModelMessage, provider: string): Json[] {
  if (message.role === 'user') return [{ role: 'user', content: message.parts.map(buildInput) }]
  if (message.role === 'tool') {
    return message.results.map((result) => ({ type: 'function_call_output', call_id: result.id, output: result.text }))
  }
  return message.parts.flatMap((part) => buildAssistantItem(part, provider))
}

function buildInput(part: InputPart): Json {
  return part.type === 'text' ? { type: 'input_text', text: part.text } : { type: 'input_image', image_url: part.url, detail: 'auto' }
}

function buildAssistantItem(part: AssistantPart, provider: string): Json[] {
  if (part.type === 'text') return part.text ? [{ role: 'assistant', content: [{ type: 'output_text', text: part.text }] }] : []
  if (part.type === 'call') return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: argumentsText(part.args) }]
  return part.provider === provider ? [part.data as Json] : []
}
