import type { ModelRequest, ToolChoice, ToolSpec } from '@agent/plugin-sdk'
import type { Endpoint } from '../../request/endpoint.ts'
import { buildContents } from './contents.ts'
import { narrowSchema } from './schema.ts'
import { buildThinking } from './thinking.ts'

type Json = Record<string, unknown>

/** The body of `streamGenerateContent`; the model is part of the path. */
export function buildGenerateRequest(request: ModelRequest, { provider, quirks }: Pick<Endpoint, 'provider' | 'quirks'>): Json {
  const body: Json = { contents: buildContents(request, provider) }
  // The stable text stays a prefix, byte for byte.
  const system = [request.system, request.ephemeral].filter(Boolean).map((text) => ({ text }))
  if (system.length > 0) body.systemInstruction = { parts: system }
  if (request.tools.length > 0) {
    body.tools = [{ functionDeclarations: request.tools.map(buildDeclaration) }]
    if (request.toolChoice !== undefined) body.toolConfig = { functionCallingConfig: buildChoice(request.toolChoice) }
  }
  const generation: Json = buildThinking(request)
  if (request.maxOutputTokens !== undefined) generation.maxOutputTokens = request.maxOutputTokens
  if (request.temperature !== undefined && quirks.temperature !== false) generation.temperature = request.temperature
  if (Object.keys(generation).length > 0) body.generationConfig = generation
  return body
}

/** An object without properties is refused: such a tool has no parameters. */
function buildDeclaration({ name, description, parameters }: ToolSpec): Json {
  const narrowed = narrowSchema(parameters)
  return { name, description, ...(narrowed.properties === undefined ? {} : { parameters: narrowed }) }
}

function buildChoice(choice: ToolChoice): Json {
  if (typeof choice !== 'string') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice] }
}
