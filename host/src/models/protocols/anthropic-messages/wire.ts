/** The fields that are read. Every one may be missing. */
export interface MessagesEvent {
  readonly type?: string
  readonly index?: number
  readonly message?: { readonly usage?: MessagesUsage }
  readonly content_block?: ContentBlock
  readonly delta?: BlockDelta
  readonly usage?: MessagesUsage
  readonly error?: unknown
  /** On a whole message from a server that does not stream. */
  readonly content?: readonly ContentBlock[]
  readonly stop_reason?: string | null
}

export interface ContentBlock {
  readonly type?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
}

export interface BlockDelta {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly partial_json?: string
  readonly stop_reason?: string | null
}

export interface MessagesUsage {
  readonly input_tokens?: unknown
  readonly output_tokens?: unknown
  readonly cache_read_input_tokens?: unknown
  readonly cache_creation_input_tokens?: unknown
}
