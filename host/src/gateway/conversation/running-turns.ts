import { type InboundMessage, linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Claim } from '#store/journal.ts'

/** An answer that is being worked on. */
export interface RunningTurn {
  readonly claim: Claim
  readonly sessionKey: string
  readonly startedAt: number
  /** Works beside its conversation, which goes on without it. */
  readonly background: boolean
  /** Fires when the turn is interrupted, or the gateway stops. */
  readonly signal: AbortSignal
  /** Messages that come now are still part of what is answered. */
  gathering: boolean
  /** Id of the session, once it is known. */
  session: string | undefined
  /** Resolves when its answer is stored, or it was given back. */
  readonly ended: Promise<void>
  interrupt(): void
  end(): void
}

export interface RunningTurns {
  begin(claim: Claim, about: { readonly sessionKey: string; readonly background?: boolean }, stop: AbortSignal): RunningTurn
  /** What is answered now in the conversation of a message. */
  inConversation(platform: string, message: Pick<InboundMessage, 'account' | 'conversation'>): readonly RunningTurn[]
}

/** What runs now, so that those who come later can interrupt it, add to it or ask about it. */
export function createRunningTurns(now: () => number): RunningTurns {
  const running = new Set<RunningTurn>()
  return {
    begin(claim, { sessionKey, background = false }, stop) {
      const over = linkSignals(stop)
      let finish = (): void => undefined
      const ended = new Promise<void>((resolve) => (finish = resolve))
      const turn: RunningTurn = {
        claim,
        sessionKey,
        background,
        startedAt: now(),
        signal: over.signal,
        gathering: false,
        session: undefined,
        ended,
        interrupt: () => over.abort(fail('INTERRUPTED')),
        end: () => {
          over[Symbol.dispose]()
          running.delete(turn)
          finish()
        },
      }
      running.add(turn)
      return turn
    },
    inConversation: (platform, { account, conversation }) =>
      [...running].filter(({ claim }) => {
        const { message } = claim
        return claim.platform === platform && message.account === account && message.conversation.id === conversation.id
      }),
  }
}
