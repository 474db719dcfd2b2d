import type { WireError } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { nameOf } from '#models/stand-ins.ts'
import { fixedTokens, heardBy, type SizedTurn, tokensOf } from './heard.ts'
import { fullLimit, limitOf } from './limits.ts'
import { type Short, type ShortenOptions, shorten } from './shorten.ts'
import type { Windows } from './window.ts'

export interface FitOptions extends ShortenOptions {
  readonly windows: Windows
}

/** Keeps what a model hears inside its window. */
export interface ContextFit {
  /** Asked before each request: what has grown beyond what the settings allow is made shorter. */
  fit(turn: SizedTurn): Promise<void>
  /** The model has refused a request for its length: true where it is shorter now, once in a turn. */
  refused(turn: SizedTurn, error: WireError): Promise<boolean>
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
      const window = await windows.of(model)
      const limit = context.stored === undefined ? fullLimit(window) : limitOf(settings(), window)
      if (tokens > limit) await makeRoom(options, turn, { reason: 'threshold', tokens, limit, window })
    },
    async refused(turn, error) {
      const { context, model } = turn
      if (context.wasRefused || !settings().enabled) return false
      context.wasRefused = true
      const tokens = tokensOf(turn)
      await windows.refused(model, tokens, String(error.params.detail ?? ''))
      const window = await windows.of(model)
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
  const { context, signal, log } = turn
  const { limit, tokens } = lack
  try {
    const short = await shorten(options, { ...lack, heard: heardBy(turn), fixed: fixedTokens(turn) }, signal)
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
