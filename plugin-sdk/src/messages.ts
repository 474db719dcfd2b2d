import type { Blob, WireError } from './wire.ts'

/** Where a message was said. `kind` decides the mention rules and the session key. */
export interface Conversation {
  /** The platform's own id; unique within platform and account. */
  readonly id: string
  readonly kind: 'dm' | 'group' | 'channel' | 'thread'
  readonly name?: string
  /** The conversation that a thread belongs to. */
  readonly parent?: string
}

/** Who said it. A name is untrusted text; only the id is compared. */
export interface Sender {
  readonly id: string
  readonly name?: string
  readonly isBot: boolean
}

/** A message from a platform. The adapter fills in facts; the gateway decides what they mean. */
export interface InboundMessage {
  /** The platform's message id: with `account` the key of deduplication. */
  readonly id: string
  /** Which of the bot's accounts received it. */
  readonly account: string
  readonly conversation: Conversation
  readonly sender: Sender
  readonly text: string
  /** True when the bot was addressed by the platform's own means (a mention, a leading nick, a reply). */
  readonly addressed: boolean
  readonly replyTo?: { readonly id: string; readonly text?: string; readonly sender?: string }
  readonly media?: readonly Blob[]
  /** Milliseconds since 1970, by the platform's clock. */
  readonly sentAt?: number
}

/** One part of an answer, already cut to the platform's limit. */
export interface OutboundMessage {
  /** Idempotency key: stable over retries and restarts. */
  readonly key: string
  readonly account: string
  /** `Conversation.id` of the place it goes to. */
  readonly conversation: string
  readonly text: string
  readonly part: { readonly index: number; readonly total: number }
  readonly replyTo?: string
  readonly media?: readonly Blob[]
}

/** `busy` means: not stored, do not acknowledge the platform, offer it again later. */
export type Accepted = { readonly status: 'accepted' | 'duplicate' } | { readonly status: 'busy'; readonly retryAfterMs: number }

/** What became of a send. `unknown`: it may have arrived; nobody can tell. */
export type Receipt =
  | { readonly status: 'sent'; readonly platformId: string }
  | { readonly status: 'refused'; readonly error: WireError }
  | { readonly status: 'unknown'; readonly error: WireError }
