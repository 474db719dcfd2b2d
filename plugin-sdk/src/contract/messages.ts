import type { Block } from './markup.ts'
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

/** Who said it. A name is untrusted text; only ids are compared. */
export interface Sender {
  readonly id: string
  readonly name?: string
  /** Further ids of the same person that the platform vouches for, such as a phone number or a handle. */
  readonly aliases?: readonly string[]
  /** Ids of the roles that the person has here. */
  readonly roles?: readonly string[]
  readonly isBot: boolean
}

/** What a file is shown as. */
export type MediaKind = 'image' | 'audio' | 'voice' | 'video' | 'document' | 'sticker'

/** A file that came with a message. It stays where it is until the gateway asks for it with `fetchMedia`. */
export interface Attachment {
  /** What `fetchMedia` needs to find it again. */
  readonly id: string
  readonly kind: MediaKind
  readonly mime: string
  readonly name?: string
  /** Size in bytes, as the platform says. */
  readonly bytes?: number
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
  /** True when the bot was addressed by the platform's own means (a mention, a leading nick, a reply). False while the bot does not know who it is. */
  readonly addressed: boolean
  /** Who is named in the text, where the platform marks names: the bot, somebody else. */
  readonly mentions?: { readonly self: boolean; readonly others: boolean }
  readonly replyTo?: { readonly id: string; readonly text?: string; readonly sender?: string }
  readonly media?: readonly Attachment[]
  /** Milliseconds since 1970, by the platform's clock. */
  readonly sentAt?: number
  /** Said to the model beside this message, for this turn only. */
  readonly instructions?: string
  /** Where the answer goes instead of back: a delivery target such as `<platform>:<conversation>`. */
  readonly deliver?: string
  /** The text itself is the answer: it is delivered as it is, and no model is asked. */
  readonly verbatim?: true
}

/** A button below a message. */
export interface Button {
  /** At most 64 bytes; comes back in a `Press`. */
  readonly id: string
  readonly label: string
  readonly style?: 'primary' | 'danger'
}

/** Somebody pressed a button below one of our messages. */
export interface Press {
  readonly account: string
  readonly conversation: Conversation
  readonly sender: Sender
  /** `Button.id`. */
  readonly button: string
}

/** The answer that the person who pressed sees. `taken`: the question is answered, and its buttons go away. */
export interface PressAnswer {
  readonly status: 'taken' | 'late' | 'refused'
  readonly text: string
}

/** A command of the agent, for the menus of a platform. */
export interface Command {
  /** Lower-case letters, digits, `_` and `-`, without the slash. */
  readonly name: string
  readonly summary: string
  /** How its arguments are written; empty when it takes none. */
  readonly args: string
}

/** One message on the platform. */
export interface MessageRef {
  readonly account: string
  readonly conversation: string
  readonly id: string
}

/** How far the agent is with a message. */
export type Mood = 'seen' | 'done' | 'failed'

/** Who the bot is on its platform. */
export interface Identity {
  readonly id: string
  /** As people see it. */
  readonly name: string
}

/** A file of a message that goes out. */
export interface OutboundMedia {
  readonly blob: Blob
  readonly kind: MediaKind
}

/** One part of an answer, already cut to the platform's limit. */
export interface OutboundMessage {
  /** Idempotency key: stable over retries and restarts. */
  readonly key: string
  readonly account: string
  /** `Conversation.id` of the place it goes to. */
  readonly conversation: string
  readonly text: string
  /** The text as a tree, where the manifest's `markup` is `tree`. */
  readonly body?: readonly Block[]
  readonly part: { readonly index: number; readonly total: number }
  readonly replyTo?: string
  /** Files that go with the text. Only where the manifest declares `media`. */
  readonly media?: readonly OutboundMedia[]
  /** Only where the manifest declares `buttons`. */
  readonly buttons?: readonly Button[]
  /** More will follow by `edit`: shown without markup. */
  readonly preview?: true
}

/** A message whose receipt was lost. */
export interface LostSend extends Pick<OutboundMessage, 'key' | 'account' | 'conversation'> {
  /** The first attempt was not made before this moment: milliseconds since 1970, by our clock; 0 where that is not known any more. */
  readonly firstTriedAt: number
}

/** `busy` means: not stored, do not acknowledge the platform, offer it again later. */
export type Accepted = { readonly status: 'accepted' | 'duplicate' } | { readonly status: 'busy'; readonly retryAfterMs: number }

/** What became of a send. `unknown`: it may have arrived; nobody can tell. */
export type Receipt =
  | { readonly status: 'sent'; readonly platformId: string }
  | { readonly status: 'refused'; readonly error: WireError }
  | { readonly status: 'unknown'; readonly error: WireError }
