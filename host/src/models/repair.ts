import type { ModelErrorClass, ModelRequest, ToolSpec, Wire } from '@agent/plugin-sdk'

type Repair = (request: ModelRequest) => ModelRequest

const repairs: Partial<Record<ModelErrorClass, Repair>> = {
  // Signatures hold only while nothing before them changed.
  thinking_signature: (request) => ({
    ...request,
    messages: request.messages.map((message) =>
      message.role === 'assistant' ? { ...message, parts: message.parts.filter((part) => part.type !== 'opaque') } : message,
    ),
  }),
  // llama.cpp turns schemas into grammars and cannot do so with these two.
  llama_cpp_grammar_pattern: (request) => ({ ...request, tools: request.tools.map(withoutPatterns) }),
}

/** The request as it may pass after this failure; undefined where changing it does not help. */
export function repairRequest(failure: ModelErrorClass, request: ModelRequest): ModelRequest | undefined {
  const repaired = repairs[failure]?.(request)
  return repaired && JSON.stringify(repaired) !== JSON.stringify(request) ? repaired : undefined
}

function withoutPatterns(tool: ToolSpec): ToolSpec {
  return { ...tool, parameters: strip(tool.parameters, 'schema') as ToolSpec['parameters'] }
}

/** Keywords are left out of schemas only: a property may be called `pattern`. */
function strip(value: Wire | undefined, kind: 'schema' | 'properties'): Wire | undefined {
  if (Array.isArray(value)) return value.map((item) => strip(item, 'schema') ?? null)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const kept = Object.entries(value).filter(([key]) => kind === 'properties' || (key !== 'pattern' && key !== 'format'))
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, strip(inner, kind === 'schema' && key === 'properties' ? 'properties' : 'schema')]),
  )
}
