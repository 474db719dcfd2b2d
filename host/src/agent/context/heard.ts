import { estimateTokens, type Log, type ModelMessage, type ToolSpec, type TurnEvent } from '@agent/plugin-sdk'
import type { ChatModel } from '#models/open.ts'
import type { Compression } from '#store/sessions.ts'

/** How much a model hears of a conversation. It changes while a turn runs. */
export interface TurnContext {
  /** How many messages of its session are stored before those of this turn; undefined where the caller keeps the conversation itself. */
  readonly stored: number | undefined
  /** Tokens of the last request and its answer, and how many of the turn's messages they stand for. */
  known?: { readonly tokens: number; readonly upTo: number } | undefined
  /** What is sent in place of the first messages of the turn. */
  short?: { readonly messages: readonly ModelMessage[]; readonly upTo: number }
  /** Compressions that are to be stored with the turn. */
  readonly gained: Compression[]
  /** It could not be made short enough, and is not tried again in this turn. */
  isStuck: boolean
  /** A model has refused it for its length, and it was made shorter for that. */
  wasRefused: boolean
}

/** A turn as far as its length is concerned. */
export interface SizedTurn {
  readonly session: string
  readonly system: string
  readonly request: { readonly instructions?: string }
  readonly tools: { readonly specs: readonly ToolSpec[] }
  readonly model: Pick<ChatModel, 'provider' | 'model'>
  readonly messages: readonly ModelMessage[]
  /** What its caller brought, and the index of the first message that came after it. */
  readonly begins: readonly ModelMessage[]
  readonly from: number
  readonly context: TurnContext
  readonly signal: AbortSignal
  readonly log: Log
  /** What the person is told with the answer. */
  readonly notes: string[]
  emit(event: TurnEvent): void
}

type Heard = Pick<SizedTurn, 'messages' | 'context'>

/** What the model is told of the conversation. The messages of the turn stay whole. */
export function heardBy({ messages, context: { short } }: Heard): readonly ModelMessage[] {
  if (!short) return messages
  return [...short.messages, ...messages.slice(short.upTo)]
}

/** Tokens of what is sent whatever the conversation is. */
export function fixedTokens({ system, request, tools }: Pick<SizedTurn, 'system' | 'request' | 'tools'>): number {
  return estimateTokens([system, request.instructions ?? '', tools.specs])
}

/** Tokens of the next request: what the service said about the last one, and an estimate of what came since. */
export function tokensOf(turn: Heard & Parameters<typeof fixedTokens>[0]): number {
  const { known } = turn.context
  if (!known) return fixedTokens(turn) + estimateTokens(heardBy(turn))
  const since = turn.messages.slice(known.upTo)
  return since.length === 0 ? known.tokens : known.tokens + estimateTokens(since)
}
