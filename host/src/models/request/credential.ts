import type { ModelErrorClass } from '@agent/plugin-sdk'

/** A request as it will leave, but for the proof of who asks. */
export interface UnprovedRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The headers that carry a key in the protocol of a service. */
export type ProofOf = (key: string) => Record<string, string>

export interface RefusedRequest {
  readonly class: ModelErrorClass
  readonly status: number
  readonly retryAfterMs?: number | undefined
  /** What `authorize` gave for the request that was refused. */
  readonly proof: Readonly<Record<string, string>>
}

/** Proves to a provider who asks where a fixed key cannot: by a login, a signature, or one key of several. */
export interface Credential {
  /** A key of several, which may tell the address. */
  readonly key?: string | undefined
  /** Headers of this one request. An error of the table that it throws ends the call, and is told. */
  authorize(request: UnprovedRequest, signal: AbortSignal, proofOf: ProofOf): Promise<Record<string, string>> | Record<string, string>
  /** The head of an answer, which may tell what is left of a limit. */
  answered?(headers: { get(name: string): string | null }, proof: Readonly<Record<string, string>>): void
  /** True where one more request at once is worth it, with what is current now. */
  refused?(refusal: RefusedRequest, signal: AbortSignal): Promise<boolean>
}
