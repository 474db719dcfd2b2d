import {
  estimateTokens,
  type Log,
  type ModelErrorClass,
  type ModelMessage,
  type ToolSpec,
  type TurnEvent,
  type WireError,
} from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { ChatModel } from '#models/open.ts'
import { nameOf } from '#models/stand-ins.ts'
import type { Compression } from '#store/sessions.ts'
import type { Beneficiary } from '#store/usage.ts'
import { fullLimit, limitOf } from './limits.ts'
import { type Short, type ShortenOptions, shorten } from './shorten.ts'
import type { Windows } from './window.ts'

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
  readonly payer: Beneficiary
  readonly system: string
  readonly request: { readonly instructions?: string }
  readonly tools: { readonly specs: readonly ToolSpec[] }
  readonly model: Pick<ChatModel, 'provider' | 'model' | 'window'>
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
function fixedTokens({ system, request, tools }: Pick<SizedTurn, 'system' | 'request' | 'tools'>): number {
  return estimateTokens([system, request.instructions ?? '', tools.specs])
}

/** Tokens of the next request: what the service said about the last one, and an estimate of what came since. */
export function tokensOf(turn: Heard & Parameters<typeof fixedTokens>[0]): number {
  const { known } = turn.context
  if (!known) return fixedTokens(turn) + estimateTokens(heardBy(turn))
  const since = turn.messages.slice(known.upTo)
  return since.length === 0 ? known.tokens : known.tokens + estimateTokens(since)
}

export interface FitOptions extends ShortenOptions {
  readonly windows: Windows
}

/** Keeps what a model hears inside its window. */
export interface ContextFit {
  /** Asked before each request: what has grown beyond what the settings allow is made shorter. */
  fit(turn: SizedTurn): Promise<void>
  /** The model, or what stands before it, has refused a request for its length or size: true where it is shorter now, once in a turn. */
  refused(turn: SizedTurn, failed: { readonly class: ModelErrorClass; readonly error: WireError }): Promise<boolean>
}

/** No conversation below this is too long for any model, so that nothing is looked up for it. */
const smallest = 1_500
/** Fewer messages have nothing before the last words. */
const least = 3

export function createContextFit(options: FitOptions): ContextFit {
  const { settings, windows } = options
  return {
    async fit(turn) {
      const { context, model } = turn
      // The first request of a conversation looks nothing up: there is nothing that could be left out of it.
      if (turn.messages.length < least) return
      const tokens = tokensOf(turn)
      if (tokens < smallest || context.isStuck || !settings().enabled) return
      const window = await windows.of(model, turn.signal)
      const limit = context.stored === undefined ? fullLimit(window) : limitOf(settings(), window)
      if (tokens > limit) await makeRoom(options, turn, { reason: 'threshold', tokens, limit, window })
    },
    async refused(turn, { class: kind, error }) {
      const { context, model } = turn
      if (context.wasRefused || !settings().enabled) return false
      context.wasRefused = true
      const tokens = tokensOf(turn)
      // Bytes that were too many say nothing about how many tokens the model takes.
      if (kind === 'context_overflow') await windows.refused(model, tokens, String(error.params.detail ?? ''))
      const window = await windows.of(model, turn.signal)
      const limit = Math.min(limitOf(settings(), window), tokens)
      return await makeRoom(options, turn, { reason: 'overflow', tokens, limit, window })
    },
  }
}

interface Lack {
  readonly reason: 'threshold' | 'overflow'
  readonly tokens: number
  readonly limit: number
  readonly window: number
}

/** One attempt; where it is not enough, one sentence. */
async function makeRoom(options: FitOptions, turn: SizedTurn, lack: Lack): Promise<boolean> {
  const { context, signal, log, payer: served } = turn
  const { limit, tokens } = lack
  try {
    const long = { ...lack, session: turn.session, heard: heardBy(turn), system: turn.system, fixed: fixedTokens(turn), served }
    const short = await shorten(options, { ...long, say: (text: string) => tell(turn, text) }, signal)
    context.isStuck = !short || short.tokensAfter > limit
    if (!short) return false
    keep(turn, short)
    log.info('a conversation was made shorter', { session: turn.session, reason: lack.reason, before: tokens, after: short.tokensAfter })
    if (context.isStuck) tell(turn, tooLong(turn, short, limit))
    else
      turn.emit({
        type: 'status',
        kind: 'notice',
        text: `This conversation was made shorter: ${sayTokens(tokens)} became ${sayTokens(short.tokensAfter)}.`,
      })
    return true
  } catch (error) {
    if (signal.aborted) throw error
    context.isStuck = true
    log.warn('a conversation could not be made shorter', { session: turn.session, problem: detailOf(error) })
    tell(turn, `This conversation could not be made shorter, because no model wrote notes on it: ${detailOf(error)}`)
    return false
  }
}

const sayTokens = (tokens: number): string => `${tokens.toLocaleString('en-US')} tokens`

const tooLong = ({ model }: SizedTurn, { tokensAfter }: Short, limit: number): string =>
  `This conversation takes ${sayTokens(tokensAfter)} although it was made shorter, and ${nameOf(model)} should get ${sayTokens(limit)} at the most: prompt, tools and the last message leave no more room.`

function tell(turn: SizedTurn, text: string): void {
  turn.notes.push(text)
  turn.emit({ type: 'status', kind: 'notice', text })
}

/**
 * The turn's own messages stay whole. The message that is answered is none of those that it stands for, where it stands alone: a turn that fails does
 * not keep it.
 */
function keep(turn: SizedTurn, { messages, reason, tokensBefore, tokensAfter }: Short): void {
  const { context } = turn
  const last = turn.messages.at(-1)
  const kept = messages.at(-1)
  const isApart = last?.role === 'user' && kept?.role === 'user' && kept.parts.length === last.parts.length
  const left = isApart ? 1 : 0
  const short = isApart ? messages.slice(0, -1) : messages
  context.short = { messages: short, upTo: turn.messages.length - left }
  context.known = { tokens: tokensAfter, upTo: turn.messages.length }
  if (context.stored === undefined) return
  const gained = turn.begins.length + turn.messages.length - turn.from
  context.gained.push({ upTo: context.stored + gained - left, messages: short, reason, tokensBefore, tokensAfter })
}
