/** The fields that are read. Every one may be missing or of another type: a server is not to be trusted. */
export interface Chunk {
  readonly error?: unknown
  readonly usage?: ChatUsage | null
  readonly choices?: readonly ChatChoice[]
}

export interface ChatChoice {
  readonly delta?: Delta | null
  /** Instead of `delta`, from a server that does not stream. */
  readonly message?: Delta | null
  readonly finish_reason?: string | null
}

export interface Delta {
  readonly content?: unknown
  readonly refusal?: unknown
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly reasoning_details?: unknown
  readonly tool_calls?: readonly CallDelta[]
}

export interface CallDelta {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

export interface ChatUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown; readonly cache_write_tokens?: unknown } | null
  readonly prompt_cache_hit_tokens?: unknown
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown } | null
}
