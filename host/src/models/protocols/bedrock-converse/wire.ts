/** The fields that are read. Every one may be missing. */
export interface ConverseEvent {
  readonly contentBlockIndex?: number
  readonly start?: { readonly toolUse?: { readonly toolUseId?: string; readonly name?: string } }
  readonly delta?: ConverseDelta
  readonly stopReason?: string
  readonly usage?: ConverseUsage
  readonly message?: unknown
  readonly Message?: unknown
}

export interface ConverseDelta {
  readonly text?: string
  readonly toolUse?: { readonly input?: string }
  readonly reasoningContent?: { readonly text?: string; readonly signature?: string; readonly redactedContent?: string }
}

export interface ConverseUsage {
  readonly inputTokens?: unknown
  readonly outputTokens?: unknown
  readonly cacheReadInputTokens?: unknown
  readonly cacheWriteInputTokens?: unknown
}
