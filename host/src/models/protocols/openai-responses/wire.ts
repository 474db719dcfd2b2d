/** The fields that are read. Every one may be missing. */
export interface ResponsesEvent {
  readonly type?: string
  readonly object?: unknown
  readonly delta?: unknown
  readonly summary_index?: unknown
  readonly output_index?: unknown
  readonly item?: Item
  readonly response?: ResponseBody
  readonly error?: unknown
}

export interface ResponseBody {
  readonly status?: string
  readonly error?: unknown
  readonly output?: readonly Item[]
  readonly incomplete_details?: { readonly reason?: string } | null
  readonly usage?: ResponsesUsage | null
}

export interface Item {
  readonly type?: string
  readonly id?: string
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly summary?: unknown
  readonly encrypted_content?: string | null
  readonly content?: readonly { readonly text?: string }[]
}

export interface ResponsesUsage {
  readonly input_tokens?: unknown
  readonly output_tokens?: unknown
  readonly input_tokens_details?: { readonly cached_tokens?: unknown } | null
  readonly output_tokens_details?: { readonly reasoning_tokens?: unknown } | null
}
