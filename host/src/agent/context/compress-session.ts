import { estimateTokens, type ModelMessage } from '@agent/plugin-sdk'
import type { ChatModel } from '#models/open.ts'
import type { Session } from '#store/sessions.ts'
import { limitOf } from './limits.ts'
import { type Short, type ShortenOptions, shorten } from './shorten.ts'
import type { Windows } from './window.ts'

export interface AskedOptions extends ShortenOptions {
  readonly windows: Windows
}

/** A stored conversation that a person wants to be shorter. */
export interface AskedSession {
  readonly session: Session
  /** What its model hears of it. */
  readonly heard: readonly ModelMessage[]
  readonly model: Pick<ChatModel, 'provider' | 'model' | 'window'>
  readonly focus: string
}

/** Makes a conversation shorter between two turns. Undefined where there is nothing to be gained. */
export async function shortenAsked(
  options: AskedOptions,
  { session, heard, model, focus }: AskedSession,
  signal: AbortSignal,
): Promise<Short | undefined> {
  const window = await options.windows.of(model, signal)
  const fixed = estimateTokens([session.system, session.tools])
  const tokens = session.context ?? fixed + estimateTokens(heard)
  return await shorten(
    options,
    {
      ...{ heard, system: session.system, fixed, tokens, window, limit: limitOf(options.settings(), window) },
      ...{ reason: 'asked', focus, session: session.id, served: { session: session.id } },
    },
    signal,
  )
}
