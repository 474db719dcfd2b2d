import type { Wire, WireError } from './wire.ts'

/** Part of what a person said. An image is a `data:` or `https:` URL; `file` names the file whose text it is. */
export type InputPart =
  | { readonly type: 'text'; readonly text: string; readonly file?: string }
  | { readonly type: 'image'; readonly url: string }

/** Part of what the model said, in order. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string }
  /** `args` is the JSON text as the model wrote it; it may be broken. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly args: string }
  /** A block that only its provider understands (signed reasoning); replayed verbatim to the same provider, dropped for others. */
  | { readonly type: 'opaque'; readonly provider: string; readonly data: Wire }

/** The result of one tool call, paired by id. */
export interface ToolOutcome {
  readonly id: string
  readonly name: string
  readonly ok: boolean
  readonly text: string
}

/** Roles alternate strictly: user, assistant, then tool or user, then assistant. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly InputPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolOutcome[] }

/** A tool as the model sees it; `parameters` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: { readonly [key: string]: Wire | undefined }
}

/** Whether the model must, may or may not call a tool; a name is the one that it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** How long a model may think before it answers. */
export type ReasoningEffort = 'none' | 'low' | 'medium' | 'high' | 'xhigh'

/** What a model is asked in one step of a turn. */
export interface ModelRequest {
  readonly model: string
  /** Byte-stable for the life of a session, so that prompt caches keep working. */
  readonly system: string
  /** Said after `system`, for this turn only. */
  readonly ephemeral?: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSpec[]
  /** Absent: `auto`. */
  readonly toolChoice?: ToolChoice
  /** Session id: cache affinity and prompt-cache keys. */
  readonly session: string
  /** True where others than the owner of this machine reach the door that the messages came by. */
  readonly isPublic?: boolean
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: ReasoningEffort
}

/** Token counts of one or more model calls. `input` includes cached tokens. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** Why a model stopped. */
export type StopReason = 'stop' | 'tool-calls' | 'length' | 'content-filter'

/** What a tool does to the world. */
export const toolEffects = ['none', 'read', 'write', 'external'] as const
export type ToolEffect = (typeof toolEffects)[number]

/** Closed list; the retry table in the host is keyed by it. Names follow the field's usage. */
export const modelErrorClasses = [
  'auth',
  'billing',
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'disconnected',
  'context_overflow',
  'payload_too_large',
  'image_too_large',
  'model_not_found',
  'provider_policy_blocked',
  'content_policy_blocked',
  'format_error',
  'thinking_signature',
  'llama_cpp_grammar_pattern',
  'unknown',
] as const
/** What kind of failure it was: it decides whether and when the request is tried again. */
export type ModelErrorClass = (typeof modelErrorClasses)[number]

/** The stream ends with exactly one `end` or `failed`; a failure is an event, never an exception. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly args: string }
  | { readonly type: 'opaque'; readonly data: Wire }
  | { readonly type: 'end'; readonly reason: StopReason; readonly usage: Usage }
  | { readonly type: 'failed'; readonly class: ModelErrorClass; readonly error: WireError }
