import type { Clock, InboundMessage, Log, PlatformManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Claim, Journal } from '#store/journal.ts'
import type { Speech } from '../outbound/open-speech.ts'
import type { AskPeople } from './ask-people.ts'
import { gatherMessages } from './gather-messages.ts'
import type { PlatformRules } from './platform-rules.ts'
import type { RunningTurn, RunningTurns } from './running-turns.ts'
import type { Arrival } from './take-arrivals.ts'

export interface ConversationOptions extends Pick<Speech, 'runTurn'> {
  readonly journal: Pick<Journal, 'waiting' | 'absorb'>
  readonly running: RunningTurns
  readonly people: Pick<AskPeople, 'hear' | 'close'>
  readonly rules: Pick<PlatformRules, 'of'>
  readonly spec: (platform: string) => PlatformManifest | undefined
  /** Whether a message that waits is meant for the turn of another. */
  readonly belongs: (claim: Claim, message: InboundMessage) => boolean
  /** Whether a message is a command that does not wait for its turn. */
  readonly passesBy: (message: InboundMessage) => boolean
  /** Told about commands that came before the turn began and wait behind it. */
  readonly onCommand: (arrival: Arrival) => void
  /** Ends a session that was left alone for too long. */
  readonly reset: (sessionKey: string) => Promise<void>
  /** The messages that are answered together, as the agent hears them. */
  readonly compose: (platform: string, messages: readonly [InboundMessage, ...InboundMessage[]]) => InboundMessage
  readonly clock: Clock
  readonly log: Log
}

/** Most messages that are added to a running turn at once. */
const mostSteered = 8

/** Lets the agent answer a message, with what its writer adds before and while it works. */
export async function runConversation(options: ConversationOptions, claim: Claim, sessionKey: string, stop: AbortSignal): Promise<void> {
  const { running, people } = options
  const turn = running.begin(claim, { sessionKey }, stop)
  try {
    await options.reset(sessionKey)
    for (const { seq, message } of await options.journal.waiting(claim, mostSteered))
      if (options.passesBy(message)) options.onCommand({ platform: claim.platform, message, seq })
    const messages = await gather(options, turn)
    const [first = claim.message, ...others] = messages
    const message = options.compose(claim.platform, [first, ...others])
    await options.runTurn({ ...claim, message }, sessionKey, stop, {
      signal: turn.signal,
      ...(options.rules.of(claim.platform).settings.busy_input_mode === 'steer' ? { steer: () => steer(options, turn) } : {}),
      hear: (event) => {
        if (event.type === 'message.start') turn.session = event.session
        people.hear(claim, event)
      },
    })
  } finally {
    people.close(claim)
    turn.end()
  }
}

async function gather(options: ConversationOptions, turn: RunningTurn): Promise<readonly InboundMessage[]> {
  const { journal, rules, clock } = options
  const { claim } = turn
  const limits = options.spec(claim.platform)?.limits
  if (!limits) return [claim.message]
  turn.gathering = true
  const belongs = (message: InboundMessage): boolean => options.belongs(claim, message)
  const { settings } = rules.of(claim.platform)
  try {
    return await gatherMessages({ journal, limits, settings, belongs, clock }, claim, turn.signal)
  } catch (error) {
    return giveUpAdding(options, error, [claim.message])
  } finally {
    turn.gathering = false
  }
}

/** What its writer said since, as far as nothing of somebody else stands between. */
async function steer(options: ConversationOptions, { claim }: RunningTurn): Promise<readonly string[]> {
  try {
    return await takeAdded(options, claim)
  } catch (error) {
    return giveUpAdding(options, error, [])
  }
}

/** What cannot be written down now waits for a turn of its own. */
function giveUpAdding<Value>({ log }: ConversationOptions, error: unknown, instead: Value): Value {
  if (!isAgentError(error, 'STORE_FULL') && !isAgentError(error, 'STORE_BUSY')) throw error
  log.error(error.message, { code: error.code })
  return instead
}

async function takeAdded({ journal, belongs, compose }: ConversationOptions, claim: Claim): Promise<readonly string[]> {
  const waiting = await journal.waiting(claim, mostSteered)
  const end = waiting.findIndex(({ message }) => (message.media ?? []).length > 0 || !belongs(claim, message))
  const added = end < 0 ? waiting : waiting.slice(0, end)
  if (added.length === 0) return []
  const taken = await journal.absorb(
    claim,
    added.map(({ seq }) => seq),
  )
  return added.filter(({ seq }) => taken.includes(seq)).map(({ message }) => compose(claim.platform, [message]).text)
}
