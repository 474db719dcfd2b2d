import type { InboundMessage } from '@agent/plugin-sdk'
import { type AccessOptions, findGround, hasList, isIn, isRoom } from '../authorise/find-ground.ts'
import { isAddressed, type MentionFacts } from './mention-gate.ts'

export type StrangerRule = 'pair' | 'ignore'

export interface GateOptions extends AccessOptions, MentionFacts {
  /** What config.yaml says about strangers, for all platforms. */
  readonly strangers: StrangerRule
  /** What the platform's manifest says about them. */
  readonly unknownSenders: StrangerRule
  /** Whether the message is one of our own. */
  readonly isEcho: (message: InboundMessage) => boolean
  /** Counts a message of a bot; false when bots have said too much to each other. */
  readonly admitBot: (message: InboundMessage) => boolean
}

/** Why a message is not answered by the agent; `pass` when it is. A `stranger` may be offered a pairing code. */
export type Verdict = 'pass' | 'echo' | 'elsewhere' | 'stranger' | 'not-allowed' | 'from-a-bot' | 'bot-loop' | 'not-addressed'

/** What is asked of every message before the agent sees it, in this order. Everyone is a stranger until let in; a room must address the bot. */
export function judge(message: InboundMessage, options: GateOptions): Verdict {
  const { settings } = options
  if (options.isEcho(message)) return 'echo'
  if (isElsewhere(message, options)) return 'elsewhere'
  if (findGround(message, options) === undefined) return mayPair(message, options) ? 'stranger' : 'not-allowed'
  if (message.sender.isBot && settings.allow_bots === 'none') return 'from-a-bot'
  if (!isAddressed(message, options)) return message.sender.isBot ? 'from-a-bot' : 'not-addressed'
  return message.sender.isBot && !options.admitBot(message) ? 'bot-loop' : 'pass'
}

/** Rooms that the owner does not want the bot to take part in. Direct messages can only be ignored by name. */
function isElsewhere(message: InboundMessage, { settings }: GateOptions): boolean {
  const { allowed_channels: allowed, ignored_channels: ignored } = settings
  return isIn(message, ignored) || (isRoom(message) && allowed.length > 0 && !isIn(message, allowed))
}

/** Codes are offered in direct messages, where nothing speaks against it or where the platform's own setting asks for them. */
function mayPair(message: InboundMessage, options: GateOptions): boolean {
  const { dm_policy: policy, unauthorized_dm_behavior: here } = options.settings
  if (isRoom(message) || message.sender.isBot) return false
  if (policy !== undefined) return policy === 'pairing'
  if (here !== undefined) return here === 'pair'
  return !hasList(options) && options.unknownSenders === 'pair' && options.strangers === 'pair'
}
