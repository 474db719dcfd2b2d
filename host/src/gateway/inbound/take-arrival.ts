import type { InboundMessage } from '@agent/plugin-sdk'
import { findCommand } from '../conversation/answer-command.ts'
import { sessionKeyOf } from '../rules/session-key.ts'
import type { InboxParts } from './inbox-parts.ts'

/** A message that was stored just now. */
export interface Arrival {
  readonly platform: string
  readonly message: InboundMessage
  readonly seq: number
}

/**
 * What comes while its conversation is busy: commands and answers to questions pass by, words interrupt what runs where that is wanted.
 * What its conversation is not busy for is left to the order of the inbox.
 */
export function takeArrival(inbox: InboxParts, arrival: Arrival): void {
  const { platform, message } = arrival
  if (inbox.running.inConversation(platform, message).length === 0) return
  try {
    consider(inbox, arrival)
  } catch (error) {
    inbox.log.error('a message could not pass by', { platform, error: String(error) })
  }
}

function consider(inbox: InboxParts, arrival: Arrival): void {
  const { people, reception, outOfTurn } = inbox
  const { platform, message, seq } = arrival
  // Bots are counted by the gates, once for each message.
  if (message.sender.isBot || message.verbatim) return
  const isAnswer = people.expects(platform, message)
  if (!isAnswer && reception.judge(platform, message) !== 'pass') return
  if (isAnswer || passesBy(inbox, message)) outOfTurn.add(seq)
  else if (busyMode(inbox, platform) === 'interrupt') interrupt(inbox, arrival)
}

/** Whether a message is a command that does not wait for its turn. */
export function passesBy(inbox: InboxParts, message: InboundMessage): boolean {
  const found = findCommand(inbox, message)
  return found !== undefined && !found.command.asks
}

/** A program that calls again does not mean that its first call is void. */
function busyMode({ catalog, rules }: InboxParts, platform: string): 'interrupt' | 'queue' | 'steer' {
  return catalog.find('platform', platform)?.spec.gate === 'source' ? 'queue' : rules.of(platform).settings.busy_input_mode
}

function interrupt(inbox: InboxParts, { platform, message, seq }: Arrival): void {
  const key = sessionKeyOf(inbox, platform, message)
  for (const turn of inbox.running.inConversation(platform, message))
    if (turn.sessionKey === key && !turn.background && !turn.gathering && turn.claim.seq < seq) turn.interrupt()
}
