import type { ModelRequest, ToolChoice } from '@agent/plugin-sdk'
import type { Endpoint } from '../../request/endpoint.ts'
import { buildThinking, takesTemperature } from '../anthropic-messages/thinking.ts'
import { type Family, familyOf, nameAtMaker } from './families.ts'
import { buildMessages, type ConverseBlock, type ConverseMessage } from './messages.ts'

const cachePoint = { cachePoint: { type: 'default' } }

/** The body of a conversation; the model is part of the path. */
export function buildConverseRequest(request: ModelRequest, endpoint: Pick<Endpoint, 'provider' | 'quirks' | 'variables'>): ConverseBlock {
  const family = familyOf(request.model)
  const cache = endpoint.quirks.promptCache === 'none' ? [] : (family.cache ?? [])
  const messages = buildMessages(request.messages, { provider: endpoint.provider, tellsFailure: family.status === true })
  if (cache.includes('messages'))
    for (const { content } of messages.filter(({ role }) => role === 'user').slice(-2)) content.push(cachePoint)
  const body: ConverseBlock = { messages }
  const system = buildSystem(request, cache.includes('system'))
  if (system.length > 0) body.system = system
  const thinking = buildReasoning(request, family)
  const tools = buildTools(request, messages)
  if (tools.length > 0) {
    const choice = buildChoice(request, thinking)
    body.toolConfig = { tools: cache.includes('tools') ? [...tools, cachePoint] : tools, ...(choice ? { toolChoice: choice } : {}) }
  }
  const limits = buildLimits(request, thinking)
  if (Object.keys(limits).length > 0) body.inferenceConfig = limits
  if (thinking.fields) body.additionalModelRequestFields = thinking.fields
  const { guardrail, 'guardrail-version': guardrailVersion = 'DRAFT' } = endpoint.variables
  if (guardrail) body.guardrailConfig = { guardrailIdentifier: guardrail, guardrailVersion }
  return body
}

function buildSystem({ system, ephemeral }: ModelRequest, cached: boolean): ConverseBlock[] {
  const blocks: ConverseBlock[] = []
  if (system) blocks.push({ text: system }, ...(cached ? [cachePoint] : []))
  if (ephemeral) blocks.push({ text: ephemeral })
  return blocks
}

interface Thinking {
  readonly fields?: ConverseBlock
  readonly maxTokens?: number
}

function buildReasoning(request: ModelRequest, { reasoning: way }: Omit<Family, 'models'>): Thinking {
  const { reasoning: effort } = request
  if (effort === undefined || way === undefined) return {}
  if (way === 'claude') {
    const { max_tokens: maxTokens, ...fields } = buildThinking({ ...request, model: nameAtMaker(request.model) })
    if (Object.keys(fields).length === 0) return {}
    return { fields, ...(typeof maxTokens === 'number' ? { maxTokens } : {}) }
  }
  if (way === 'effort') return { fields: { reasoning_effort: { none: 'low', xhigh: 'high' }[effort as string] ?? effort } }
  if (effort === 'none') return { fields: { reasoningConfig: { type: 'disabled' } } }
  return { fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort === 'xhigh' ? 'high' : effort } } }
}

/** With thinking on, a temperature is refused, and newer models take none at all. */
function buildLimits({ model, maxOutputTokens, temperature }: ModelRequest, thinking: Thinking): ConverseBlock {
  const maxTokens = maxOutputTokens ?? thinking.maxTokens
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined || thinking.fields?.thinking || !takesTemperature(model) ? {} : { temperature }),
  }
}

/** A conversation with calls is refused without tools: then their names stand for them. */
function buildTools({ tools, toolChoice }: ModelRequest, messages: readonly ConverseMessage[]): ConverseBlock[] {
  const used = messages.flatMap(({ content }) =>
    content.flatMap(({ toolUse }) => (toolUse ? [String((toolUse as ConverseBlock).name)] : [])),
  )
  if (tools.length > 0 && !(toolChoice === 'none' && used.length === 0)) {
    return tools.map(({ name, description, parameters }) => specOf(name, description, parameters))
  }
  return [...new Set(used)].map((name) => specOf(name, '', { type: 'object' }))
}

function specOf(name: string, description: string, json: object): ConverseBlock {
  return { toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json } } }
}

/** There is no word for none, and with thinking on a forced call is refused. */
function buildChoice({ toolChoice, tools }: ModelRequest, thinking: Thinking): ConverseBlock | undefined {
  if (toolChoice === undefined || toolChoice === 'none' || toolChoice === 'auto' || tools.length === 0 || thinking.fields?.thinking)
    return undefined
  return choiceOf(toolChoice)
}

function choiceOf(choice: Exclude<ToolChoice, 'none' | 'auto'>): ConverseBlock {
  return choice === 'required' ? { any: {} } : { tool: { name: choice.name } }
}
