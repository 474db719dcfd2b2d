/** The fields that are read. Every one may be missing or of another type: a server is not to be trusted. */
export interface GenerateChunk {
  readonly error?: unknown
  /** The piece itself, where it comes in an envelope. */
  readonly response?: unknown
  readonly candidates?: readonly GenerateCandidate[]
  readonly promptFeedback?: { readonly blockReason?: unknown; readonly blockReasonMessage?: unknown } | null
  readonly usageMetadata?: GenerateUsage | null
}

export interface GenerateCandidate {
  readonly content?: { readonly parts?: readonly GeneratePart[] } | null
  readonly finishReason?: unknown
  readonly finishMessage?: unknown
}

export interface GeneratePart {
  readonly text?: unknown
  /** The text is a thought. */
  readonly thought?: unknown
  readonly thoughtSignature?: unknown
  readonly functionCall?: { readonly id?: unknown; readonly name?: unknown; readonly args?: unknown } | null
}

export interface GenerateUsage {
  readonly promptTokenCount?: unknown
  readonly toolUsePromptTokenCount?: unknown
  readonly candidatesTokenCount?: unknown
  readonly thoughtsTokenCount?: unknown
  readonly cachedContentTokenCount?: unknown
}

/** What has to go back beside a call: its signature, and the id that the vendor gave it. */
export interface Echo {
  readonly call: string
  readonly id?: string
  readonly thoughtSignature?: string
}
