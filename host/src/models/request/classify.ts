import type { ErrorCode, ModelErrorClass, ModelEvent } from '@agent/plugin-sdk'
import { type AgentError, hideInUrls, toWireError } from '@agent/plugin-sdk/errors'

import type { Endpoint } from './endpoint.ts'

/** What is known about a refusal, from the status line, the body or an error inside the stream. */
export interface Refusal {
  readonly status?: number | undefined
  /** The body's own words for it: `code`, `type`. */
  readonly codes?: readonly string[]
  readonly message: string
}

type Failed = Extract<ModelEvent, { type: 'failed' }>

const codeOf: Readonly<Record<ModelErrorClass, ErrorCode>> = {
  auth: 'MODEL_AUTH',
  billing: 'MODEL_BILLING',
  rate_limit: 'MODEL_RATE_LIMIT',
  overloaded: 'MODEL_OVERLOADED',
  server_error: 'MODEL_SERVER_ERROR',
  timeout: 'MODEL_TIMEOUT',
  disconnected: 'MODEL_DISCONNECTED',
  context_overflow: 'MODEL_CONTEXT_OVERFLOW',
  payload_too_large: 'MODEL_PAYLOAD_TOO_LARGE',
  image_too_large: 'MODEL_IMAGE_TOO_LARGE',
  model_not_found: 'MODEL_NOT_FOUND',
  provider_policy_blocked: 'MODEL_PROVIDER_POLICY_BLOCKED',
  content_policy_blocked: 'MODEL_CONTENT_POLICY_BLOCKED',
  format_error: 'MODEL_FORMAT_ERROR',
  thinking_signature: 'MODEL_THINKING_SIGNATURE',
  llama_cpp_grammar_pattern: 'MODEL_LLAMA_CPP_GRAMMAR_PATTERN',
  unknown: 'MODEL_UNKNOWN',
}

interface Pattern {
  readonly class: ModelErrorClass
  readonly text: RegExp
}

/** Said by one vendor or server only; looked for before anything else. */
const particular: readonly Pattern[] = [
  {
    class: 'thinking_signature',
    text: /invalid.{0,20}signature.{0,40}thinking|thinking.{0,80}(signature|cannot be modified)|invalid_encrypted_content|thought.?signature/i,
  },
  {
    class: 'llama_cpp_grammar_pattern',
    text: /(failed|error|unable).{0,40}(parse|pars|convert|initiali[sz]).{0,40}(grammar|json schema)|unrecognized schema/i,
  },
]

const overflow: Pattern = {
  class: 'context_overflow',
  text: /context.{0,20}(length|window|size|limit)|maximum context|prompt is too long|too many (input )?tokens|exceeds? the available context|input.{0,20}too long|input token count.{0,40}exceeds|reduce the length of the messages/i,
}
const policy: readonly Pattern[] = [
  {
    class: 'provider_policy_blocked',
    text: /guardrail restrictions|data policy|privacy settings|not available in your (region|country)|user location is not supported|country, region, or territory/i,
  },
  {
    class: 'content_policy_blocked',
    text: /content (policy|filter|management)|usage polic|safety (system|reason|filter)|flagged (as|for|by)|content_policy_violation|violat\w+ .{0,40}polic/i,
  },
]
const missingModel: Pattern = {
  class: 'model_not_found',
  text: /model.{0,80}(not found|does not exist|not exist|is not (available|a valid)|not supported|unknown)|model identifier is invalid|(no such|unknown|invalid) model|try pulling it|no endpoints found/i,
}
const money: Pattern = {
  class: 'billing',
  text: /insufficient.{0,20}(quota|credit|balance|funds)|credit balance|billing|payment required|spending limit|key limit exceeded|out of credits|exceeded your current quota/i,
}
const depleted: Pattern = { class: 'billing', text: /credits? (is|are) depleted|spend(ing)? (cap|limit)|billing account/i }
const crowded: Pattern = {
  class: 'overloaded',
  text: /overloaded|at capacity|capacity constraints|temporarily unavailable|engine is busy/i,
}
const rate: Pattern = {
  class: 'rate_limit',
  text: /rate.?limit|too many requests|usage limit|try again in|tokens per minute|requests per (minute|day)/i,
}
const image: Pattern = { class: 'image_too_large', text: /image.{0,60}(exceeds|too large|too big|maximum.{0,20}size)/i }
const parameter: Pattern = {
  class: 'format_error',
  text: /(unsupported|unknown|unrecognized|invalid) (parameter|argument|field)|extra inputs are not permitted|not supported with this model/i,
}
const key: Pattern = {
  class: 'auth',
  text: /api.?key (not valid|expired)|(invalid|incorrect|missing|no).{0,20}(api.?key|credentials|authentication|auth)|unauthorized|authentication_error/i,
}
const size: Pattern = { class: 'payload_too_large', text: /(request|payload|body).{0,20}(too large|exceeds)|request_too_large/i }
const server: Pattern = { class: 'server_error', text: /internal (server )?error|server_error|api_error|server had an error/i }
const slow: Pattern = { class: 'timeout', text: /timed? ?out|timeout/i }

/** What a status means when the words do not refine it, and which words are believed for it. */
const byStatus: Readonly<Record<number, { readonly refine: readonly Pattern[]; readonly otherwise: ModelErrorClass }>> = {
  400: { refine: [image, parameter, overflow, ...policy, missingModel, rate, money, size, key], otherwise: 'format_error' },
  401: { refine: [], otherwise: 'auth' },
  402: { refine: [{ class: 'rate_limit', text: /usage limit.{0,200}(try again|resets)/is }], otherwise: 'billing' },
  403: { refine: [money, ...policy], otherwise: 'auth' },
  404: { refine: [...policy, missingModel], otherwise: 'unknown' },
  408: { refine: [], otherwise: 'timeout' },
  409: { refine: [], otherwise: 'server_error' },
  413: { refine: [image], otherwise: 'payload_too_large' },
  422: { refine: [image, parameter, overflow, missingModel], otherwise: 'format_error' },
  429: { refine: [crowded, money], otherwise: 'rate_limit' },
  500: { refine: [overflow, parameter, crowded], otherwise: 'server_error' },
  502: { refine: [overflow, parameter], otherwise: 'server_error' },
  503: { refine: [], otherwise: 'overloaded' },
  504: { refine: [], otherwise: 'timeout' },
  529: { refine: [], otherwise: 'overloaded' },
}

const anything: readonly Pattern[] = [image, parameter, overflow, ...policy, missingModel, crowded, money, rate, key, size, server, slow]

/** Exact words in the body that decide by themselves. */
const byCode: Readonly<Record<string, ModelErrorClass>> = {
  context_length_exceeded: 'context_overflow',
  string_above_max_length: 'context_overflow',
  model_not_found: 'model_not_found',
  not_found_error: 'model_not_found',
  insufficient_quota: 'billing',
  billing_error: 'billing',
  billing_not_active: 'billing',
  rate_limit_error: 'rate_limit',
  rate_limit_exceeded: 'rate_limit',
  RESOURCE_EXHAUSTED: 'rate_limit',
  ThrottlingException: 'rate_limit',
  ServiceQuotaExceededException: 'rate_limit',
  ServiceUnavailableException: 'overloaded',
  ModelNotReadyException: 'overloaded',
  ModelTimeoutException: 'timeout',
  ModelErrorException: 'server_error',
  ModelStreamErrorException: 'server_error',
  InternalServerException: 'server_error',
  AccessDeniedException: 'auth',
  ExpiredTokenException: 'auth',
  UnrecognizedClientException: 'auth',
  InvalidSignatureException: 'auth',
  ResourceNotFoundException: 'model_not_found',
  overloaded_error: 'overloaded',
  authentication_error: 'auth',
  invalid_api_key: 'auth',
  permission_error: 'auth',
  request_too_large: 'payload_too_large',
  content_filter: 'content_policy_blocked',
  content_policy_violation: 'content_policy_blocked',
  invalid_prompt: 'content_policy_blocked',
  invalid_encrypted_content: 'thinking_signature',
  image_too_large: 'image_too_large',
  server_error: 'server_error',
  api_error: 'server_error',
  timeout_error: 'timeout',
}

/** Order: words of one vendor, body code, status refined by words, words alone. */
export function classify(refusal: Refusal): ModelErrorClass {
  const text = [refusal.message, ...(refusal.codes ?? [])].join(' ')
  const special = firstMatch(particular, text)
  if (special) return special
  // A 404 of a proxy about a path says `not_found_error` too, and a 400 may carry any code: those are refined by words first.
  const coded = (refusal.codes ?? []).map((code) => byCode[code]).find((found) => found !== undefined)
  if (coded && refusal.status !== 401 && refusal.status !== 402) return refineCoded(coded, text)
  const status = refusal.status ?? Number((refusal.codes ?? []).find((code) => /^[45]\d\d$/.test(code)))
  const rule = byStatus[status] ?? (status >= 500 ? byStatus[500] : status >= 400 ? byStatus[400] : undefined)
  if (rule) return firstMatch(rule.refine, text) ?? rule.otherwise
  return firstMatch(anything, text) ?? 'unknown'
}

/** A code may be coarser than its message: capacity as a rate limit, an unpaid account as a missing right. */
function refineCoded(coded: ModelErrorClass, text: string): ModelErrorClass {
  if (coded === 'rate_limit') return firstMatch([crowded, depleted], text) ?? coded
  if (coded === 'auth') return firstMatch([money, ...policy], text) ?? coded
  return coded
}

function firstMatch(patterns: readonly Pattern[], text: string): ModelErrorClass | undefined {
  return patterns.find((pattern) => pattern.text.test(text))?.class
}

/** `Retry-After` as seconds or as a date, or the vendors' own header in milliseconds. */
export function parseRetryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact)
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

type Source = Pick<Endpoint, 'provider'> & Partial<Pick<Endpoint, 'key' | 'keyPlace' | 'credential'>>

/** The last event of a failed stream. The detail is one line without the key. */
export function failedEvent(
  source: Source,
  found: { readonly class: ModelErrorClass; readonly detail: string; readonly retryAfterMs?: number | undefined },
): Failed {
  const { provider, key, keyPlace, credential } = source
  const isUnproved = found.class === 'auth' && keyPlace !== undefined && key === undefined && credential === undefined
  const params = { provider, detail: cleanDetail(found.detail, key), ...(isUnproved ? keyPlace : {}) }
  const error = { code: codeOf[found.class], params }
  return {
    type: 'failed',
    class: found.class,
    error: found.retryAfterMs === undefined ? error : { ...error, retryAfterMs: found.retryAfterMs },
  }
}

/** The last event where a credential could not prove who asks: nothing was sent, and another model may answer. */
export function unprovedEvent(error: AgentError): Failed {
  const found = Object.entries(codeOf).find(([, code]) => code === error.code)?.[0] as ModelErrorClass | undefined
  return { type: 'failed', class: found ?? (error.code === 'TIMED_OUT' ? 'timeout' : 'auth'), error: toWireError(error) }
}

function cleanDetail(detail: string, secret: string | undefined): string {
  const shown = hideInUrls(detail)
  const masked = secret && secret.length >= 4 ? shown.replaceAll(secret, '***') : shown
  // Vendors quote the key that they refuse, partly starred out.
  const line = masked
    .replace(/\b(sk|key|gsk|xai)-[\w*.-]{4,}/g, '***')
    .replace(/\s+/g, ' ')
    .trim()
  const short = line.length > 500 ? `${line.slice(0, 500)}…` : line
  // The sentence around it brings its own full stop.
  return short.replace(/[.\s]+$/, '') || 'no reason given'
}
