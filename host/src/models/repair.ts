import type { ModelErrorClass, ModelMessage, ModelRequest, ToolSpec, Wire, WireError } from '@agent/plugin-sdk'
import { type Booking, usualAnswer } from './book.ts'

export interface FailedRequest {
  readonly class: ModelErrorClass
  readonly error: WireError
}

/** What of a request a model can do without; those that a service refuses by name. */
export type SpareField = 'temperature' | 'maxOutputTokens' | 'reasoning'

const spareFields: readonly { readonly field: SpareField; readonly named: RegExp }[] = [
  { field: 'temperature', named: /\btemperature\b/i },
  { field: 'maxOutputTokens', named: /\bmax(imum)?_?(output_?|completion_?|new_?)?tokens\b/i },
  { field: 'reasoning', named: /\breasoning([._]?effort)?\b|\b(enable_)?thinking\b|\boutput_config\b/i },
]

/** Said of a field, and not of its value: a limit that is too high is told in other words. */
const unsupported =
  /unsupported|not supported|does(n't| not) support|unrecognized|unknown (parameter|argument|name|field)|extra inputs|not permitted|deprecated/i

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

/** Said by Mistral, and by templates of models that servers of one's own run. */
const disordered = /unexpected role '?user'? after role '?tool|roles must alternate/i

/** The request as it may pass after this failure; undefined where changing it does not help. */
export function repairRequest(failure: FailedRequest, request: ModelRequest): ModelRequest | undefined {
  const refused = findRefused(failure, request)
  if (refused) return withoutFields([refused], request)
  const repair = disordered.test(String(failure.error.params.detail ?? '')) ? withAnswers : repairs[failure.class]
  const repaired = repair?.(request)
  return repaired && JSON.stringify(repaired) !== JSON.stringify(request) ? repaired : undefined
}

/** The field of this request that the service does not know, or not with this model. */
export function findRefused({ class: kind, error }: FailedRequest, request: ModelRequest): SpareField | undefined {
  const detail = String(error.params.detail ?? '')
  if (kind !== 'format_error' || !unsupported.test(detail)) return undefined
  return spareFields.find(({ field, named }) => request[field] !== undefined && named.test(detail))?.field
}

export function withoutFields(fields: readonly SpareField[], request: ModelRequest): ModelRequest {
  const isKept = ([name]: readonly [string, unknown]): boolean => !fields.some((field) => field === name)
  return fields.length === 0 ? request : (Object.fromEntries(Object.entries(request).filter(isKept)) as unknown as ModelRequest)
}

/** Models that nobody knows may give shorter answers than the book lets them have, and refuse to be allowed longer ones. */
export function allowLess(
  { error }: FailedRequest,
  request: ModelRequest,
  { mostOutput = 0 }: Pick<Booking, 'mostOutput'>,
): ModelRequest | undefined {
  if (request.maxOutputTokens === undefined || mostOutput <= usualAnswer || !/max\w*tokens/i.test(JSON.stringify(error.params)))
    return undefined
  return { ...request, maxOutputTokens: usualAnswer }
}

/** With an answer between the results of tools and what a person says next: a turn that was killed has none, and neither has one that is steered. */
function withAnswers(request: ModelRequest): ModelRequest {
  const { messages } = request
  const answer: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: '[interrupted]' }] }
  const isGap = (at: number): boolean => messages[at]?.role === 'user' && messages[at - 1]?.role === 'tool'
  return { ...request, messages: messages.flatMap((message, at) => (isGap(at) ? [answer, message] : [message])) }
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
