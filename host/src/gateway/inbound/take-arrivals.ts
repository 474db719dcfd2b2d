import type { InboundMessage, Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { Claim, Journal } from '#store/journal.ts'
import type { AskPeople } from './ask-people.ts'
import type { Verdict } from './gates.ts'
import type { RunningTurns } from './running-turns.ts'

/** A message that was stored just now. */
export interface Arrival {
  readonly platform: string
  readonly message: InboundMessage
  readonly seq: number
}

export interface ArrivalOptions {
  readonly journal: Pick<Journal, 'claimAside'>
  /** Boot id of this gateway. */
  readonly owner: string
  readonly running: RunningTurns
  readonly people: Pick<AskPeople, 'expects'>
  readonly judge: (platform: string, message: InboundMessage) => Verdict
  readonly sessionKey: (platform: string, message: InboundMessage) => string
  /** Whether a message is a command that does not wait for its turn. */
  readonly passesBy: (message: InboundMessage) => boolean
  readonly mode: (platform: string) => PlatformSettings['busy_input_mode']
  /** Answers a message out of its turn, or gives it back. */
  readonly answerAside: (claim: Claim, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

export interface Arrivals {
  /** Called after a message was stored. What its conversation is not busy for is left to the order of the inbox. */
  take(arrival: Arrival): void
  close(): Promise<void>
}

/** What comes while its conversation is busy: commands and answers pass by, words interrupt what runs where that is wanted. */
export function openArrivals(options: ArrivalOptions): Arrivals {
  const stop = new AbortController()
  const working = new Set<Promise<void>>()

  const passBy = async ({ seq }: Arrival): Promise<void> => {
    const claim = await options.journal.claimAside(options.owner, seq)
    if (claim) await options.answerAside(claim, stop.signal)
  }
  const handle = async (arrival: Arrival): Promise<void> => {
    const { platform, message } = arrival
    // Bots are counted by the gates, once for each message.
    if (message.sender.isBot || message.verbatim) return
    if (options.people.expects(platform, message)) return passBy(arrival)
    if (options.judge(platform, message) !== 'pass') return
    if (options.passesBy(message)) return passBy(arrival)
    if (options.mode(platform) === 'interrupt') interrupt(arrival)
  }
  const interrupt = ({ platform, message, seq }: Arrival): void => {
    const key = options.sessionKey(platform, message)
    for (const turn of options.running.inConversation(platform, message)) {
      if (turn.sessionKey === key && !turn.background && !turn.gathering && turn.claim.seq < seq) turn.interrupt()
    }
  }
  return {
    take(arrival) {
      const { platform, message } = arrival
      if (stop.signal.aborted || options.running.inConversation(platform, message).length === 0) return
      const work = handle(arrival)
        .catch((error: unknown) => {
          if (!isAgentError(error, 'CLAIM_LOST')) options.log.error('a message could not pass by', { platform, error: String(error) })
        })
        .finally(() => working.delete(work))
      working.add(work)
    },
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await Promise.allSettled(working)
    },
  }
}
