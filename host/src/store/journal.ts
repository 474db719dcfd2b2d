import type {
  AssistantPart,
  Button,
  InboundMessage,
  OutboundMedia,
  OutboundMessage,
  Receipt,
  ToolOutcome,
  TurnEvent,
  Usage,
  WireError,
} from '@agent/plugin-sdk'
import type { TurnRows } from './sessions.ts'

/** What a turn has done so far; written before it goes on, so that a crash repeats nothing. */
export type Step =
  | {
      readonly type: 'model'
      readonly parts: readonly AssistantPart[]
      readonly usage: Usage
      /** Results of calls that must never run. */
      readonly refused?: readonly ToolOutcome[]
    }
  | { readonly type: 'tool.start'; readonly id: string; readonly name: string; readonly args: string }
  | { readonly type: 'tool.done'; readonly outcome: ToolOutcome }
  /** A child agent is to work in this session. */
  | { readonly type: 'child'; readonly session: string }

/** Where messages are kept in order: one conversation is answered one message at a time. */
export interface ConversationRef {
  readonly platform: string
  readonly account: string
  readonly conversation: string
}

/** Narrows what is claimed: to one platform, or to one conversation. */
export type ClaimScope = ConversationRef | { readonly platform: string; readonly account?: never; readonly conversation?: never }

/** A child agent that works on behind the turn that began it, as its conversation is to hear of it. */
export interface ChildNote {
  readonly session: string
  /** The beginning of its task. */
  readonly goal: string
  /** How many child agents there were in its tree. */
  readonly spawned: number
  /** What came of it; absent while it works, and where that was lost. */
  readonly end?: NotedEnd
}

export interface NotedEnd {
  readonly status: Extract<TurnEvent, { type: 'subagent.complete' }>['status']
  readonly summary: string
  /** Why it did not complete, as a sentence. */
  readonly error?: string
  readonly model: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly apiCalls: number
  readonly durationMs: number
}

/** A message that belongs to `owner` until it is answered, released or the owner dies. */
export interface Claim {
  readonly seq: number
  readonly owner: string
  /** How often it was claimed, this time included; with `owner` it fences off the holder before. */
  readonly attempts: number
  /** How many of these ended by the death of their owner. */
  readonly crashes: number
  readonly platform: string
  readonly message: InboundMessage
  /** Nobody said it: it stands for what came of a child agent, and its message says whom that one worked for, and where. */
  readonly child?: ChildNote
  /** When it was accepted. */
  readonly receivedAt: number
  /** Steps of the attempts before; a `tool.start` without its `tool.done` has an unknown outcome. */
  readonly steps: readonly Step[]
  /** The preview that an earlier attempt posted; `platformId` is null while nobody knows whether it arrived. */
  readonly preview?: { readonly platformId: string | null }
}

/** One send that belongs to `owner` until it is settled. */
export interface ClaimedSend {
  readonly seq: number
  readonly owner: string
  readonly attempts: number
  readonly platform: string
  readonly message: OutboundMessage
  /** Id of the preview on the platform: edit that message instead of sending a new one. */
  readonly edits?: string
  /** No attempt that may have arrived was made before this moment; 0 where that is not known. Milliseconds since 1970. */
  readonly firstTriedAt: number
  /** An earlier attempt may have arrived. `insist`: a person wants it sent again where nobody can tell. */
  readonly doubt?: 'ask' | 'insist'
  /** It says that a message may be missing, and is no answer. */
  readonly isMark?: true
}

export interface AnswerPart {
  readonly text: string
  /** Where it goes; absent: back to where the message was said. */
  readonly to?: ConversationRef
  readonly replyTo?: string
  readonly media?: readonly OutboundMedia[]
  readonly buttons?: readonly Button[]
}

/** A message that waits behind a claimed one. */
export interface WaitingMessage {
  readonly seq: number
  readonly message: InboundMessage
  readonly child?: ChildNote
  /** When it was accepted. */
  readonly receivedAt: number
}

export interface JournalAnswer {
  /** In order; empty when nothing is to be said. */
  readonly outbound: readonly AnswerPart[]
  readonly turn: TurnRows | null
  /** `answered` when absent. */
  readonly state?: 'answered' | 'dropped' | 'failed'
  /** Why there was no whole answer: it is listed among the failures. */
  readonly error?: WireError
}

/**
 * `refused` and `unknown` end the send; `retry` keeps it at the head of its conversation until `notBefore`.
 * `mark`: said in the conversation, once. `doubt`: an attempt may have arrived.
 */
export type SendResult =
  | Exclude<Receipt, { status: 'unknown' }>
  | { readonly status: 'unknown'; readonly error: WireError; readonly mark?: string }
  | { readonly status: 'retry'; readonly notBefore: number; readonly doubt?: ClaimedSend['doubt'] }

export type AcceptResult =
  | { readonly status: 'accepted'; readonly seq: number }
  | { readonly status: 'duplicate' }
  | { readonly status: 'busy'; readonly retryAfterMs: number }

export interface Recovery {
  /** How many messages wait again. */
  readonly messages: number
  /** How many sends were in flight at the crash; they wait again, in doubt. */
  readonly sends: number
  /** Third crash on one message, now claimed by the caller: answer it with the state `failed` and a sentence. */
  readonly failed: readonly Claim[]
}

export interface PendingWork extends ConversationRef {
  readonly inbox: number
  readonly outbox: number
}

/** A send of which nobody can tell whether it arrived. */
export interface UnknownSend extends ConversationRef {
  readonly seq: number
  readonly text: string
  readonly error: WireError
  readonly at: number
}

/** What a person says of an unknown send. One that is `lost` is listed among the failures. */
export type UnknownFate = 'arrived' | 'lost'

/** `turn`: a message without a whole answer. `send`: something that its platform did not take. */
export interface Failure extends ConversationRef {
  readonly type: 'turn' | 'send'
  readonly seq: number
  /** What was said, or what was to be said. */
  readonly text: string
  /** Who said it; empty where the agent did. */
  readonly sender: string
  readonly error: WireError
  readonly at: number
}

/** What became of one part of a post. `waiting` ends by itself; the others are final. */
export interface PostedPart {
  readonly part: number
  readonly total: number
  readonly state: 'waiting' | 'sent' | 'refused' | 'unknown'
  readonly platformId?: string
  /** Of a part that is refused or unknown. */
  readonly error?: WireError
}

/**
 * Makes messaging lossless. Each verb is atomic and durable when its promise resolves.
 * Owners are boot ids that hold a lease under their own name; an owner without one is dead.
 */
export interface Journal {
  /** Acknowledge the platform only after `accepted` or `duplicate`. Never rejects for a full or locked disk: that is `busy`. */
  accept(platform: string, message: InboundMessage): Promise<AcceptResult>
  /** The oldest message whose conversation is idle; a claimed head blocks those behind it. */
  claim(owner: string, where?: ClaimScope): Promise<Claim | null>
  /** Takes a message out of its turn: it blocks nobody. null when it does not wait any more. */
  claimOutOfTurn(owner: string, seq: number): Promise<Claim | null>
  /** Lets those behind a claimed message go on; it waits in order again when it is given back. */
  putOutOfTurn(claim: Claim): Promise<void>
  /** What waits in the conversation of a claimed message, oldest first. */
  waiting(claim: Claim, limit: number): Promise<readonly WaitingMessage[]>
  /** Lets messages that wait behind a claimed head share its answer; they wait again when it is given back. Answers with those that do. */
  absorb(claim: Claim, seqs: readonly number[]): Promise<readonly number[]>
  recordStep(claim: Claim, step: Step): Promise<void>
  /** Keeps a place for what will come of a child agent, in the conversation of a claimed message: it belongs to the same owner, out of turn, until that is told. */
  keepPlace(claim: Claim, child: ChildNote): Promise<Claim>
  /** Says what came of it, and lets the place wait like a message; one that is given back without this stands for a child that was lost. */
  tellChild(place: Claim, child: ChildNote): Promise<void>
  /** The same place for a session that no platform leads: it is no gateway's work, and waits for the next turn of that session. */
  keepPlaceIn(session: string, owner: string, child: ChildNote): Promise<Claim>
  /** What is to be told in such a session, claimed by `owner`: children that ended, and those whose owner is dead. */
  claimTold(session: string, owner: string): Promise<readonly Claim[]>
  /** Queues something that is said before the answer. */
  say(claim: Claim, parts: readonly AnswerPart[]): Promise<void>
  /** Gives an unfinished message back, and those that share its answer. */
  release(claim: Claim): Promise<void>
  /** Notes the preview before it is sent; null when earlier parts of the conversation still wait. Settle it like any send. */
  startPreview(claim: Claim, text: string): Promise<ClaimedSend | null>
  /** One transaction: the message, its outgoing parts, the session rows and their usage. */
  answer(claim: Claim, answer: JournalAnswer): Promise<void>
  /** Queues what is said without a message before it. `id` is the caller's: the same one again adds nothing. */
  post(place: ConversationRef, parts: readonly AnswerPart[], id: string): Promise<void>
  /** The parts of a post in order; empty for an id that nobody posted, or that is forgotten. */
  posted(id: string): Promise<readonly PostedPart[]>
  /** The oldest part that may be sent now; an open part blocks those behind it. */
  claimSend(owner: string, where?: ClaimScope): Promise<ClaimedSend | null>
  settleSend(send: ClaimedSend, result: SendResult): Promise<void>
  /** The time that retries wait by, in milliseconds since 1970: it never goes back, however the clock is set. */
  now(): number
  /** When the next retry of a platform may be claimed that could not be at `after` (a time of `now`); null when none waits. */
  nextSendAt(platform: string, after: number): Promise<number | null>
  /** Takes over from dead owners. `alone`: the caller holds the home's lock, so that every other owner is dead. */
  recover(owner: string, options?: { readonly alone?: boolean }): Promise<Recovery>
  pending(): Promise<readonly PendingWork[]>
  unknownSends(): Promise<readonly UnknownSend[]>
  /** The newest failures that are not forgotten yet, newest first. */
  failures(limit: number): Promise<readonly Failure[]>
  /** Puts an unknown send back into the queue, under its old key; false when it is not unknown any more. A person insists on it. */
  resend(seq: number): Promise<boolean>
  /** Takes an unknown send off the list: a person has looked. False when it is not unknown any more. */
  endUnknown(seq: number, fate: UnknownFate): Promise<boolean>
  /** Puts what became unknown on a platform since then back into the queue, to be asked about again. */
  askAgain(platform: string, since: number): Promise<void>
  /** Forgets what was settled before `before`; duplicates are recognised up to that age only. */
  prune(before: number): Promise<number>
  /** Called after a commit of this process that made work. */
  onWork(listener: (work: 'inbox' | 'outbox') => void): () => void
}
