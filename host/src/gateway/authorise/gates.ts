import type { InboundMessage } from '@agent/plugin-sdk'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { MentionPatterns } from '../rules/mention-patterns.ts'
import { type AccessOptions, findGround, hasList, isIn, isRoom } from './find-ground.ts'

export interface MentionFacts {
  readonly settings: PlatformSettings
  /** Wake words of the platform. */
  readonly patterns: Pick<MentionPatterns, 'match'>
  /** Whether the bot has been asked in this thread before. */
  readonly takesPart: (message: InboundMessage) => boolean
}

export type StrangerRule = 'pair' | 'ignore'

export interface GateOptions extends AccessOptions, MentionFacts {
  /** What config.yaml says about strangers, for all platforms. */
  readonly strangers: StrangerRule
  /** What the platform's manifest says about them. */
  readonly unknownSenders: StrangerRule
  /** Whether the message is ours. */
  readonly isEcho: boolean
  /** Counts a message of a bot; false when bots have said too much to each other. */
  readonly admitBot: (message: InboundMessage) => boolean
}

/** Why a message is not answered by the agent; `pass` when it is. A `stranger` may be offered a pairing code. */
export type Verdict = 'pass' | 'echo' | 'elsewhere' | 'stranger' | 'not-allowed' | 'from-a-bot' | 'bot-loop' | 'not-addressed'

/** What is asked of every message before the agent sees it, in this order. Everyone is a stranger until let in; a room must address the bot. */
export function judge(message: InboundMessage, options: GateOptions): Verdict {
  if (options.isEcho) return 'echo'
  if (isElsewhere(message, options)) return 'elsewhere'
  if (findGround(message, options) === undefined) return mayPair(message, options) ? 'stranger' : 'not-allowed'
  if (isUnwantedBot(message, options)) return 'from-a-bot'
  if (!isAddressed(message, options)) return message.sender.isBot ? 'from-a-bot' : 'not-addressed'
  return message.sender.isBot && !options.admitBot(message) ? 'bot-loop' : 'pass'
}

/** Whether somebody is let in at all, whatever they say. */
export function isLetIn(message: InboundMessage, options: AccessOptions): boolean {
  return !isElsewhere(message, options) && findGround(message, options) !== undefined && !isUnwantedBot(message, options)
}

const isUnwantedBot = ({ sender }: InboundMessage, { settings }: AccessOptions): boolean => sender.isBot && settings.allow_bots === 'none'

/** Rooms that the owner does not want the bot to take part in. Direct messages can only be ignored by name. */
function isElsewhere(message: InboundMessage, { settings }: AccessOptions): boolean {
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

/** Whether the bot is meant. Where it cannot tell who it is, nobody has named it: then only what needs no mention passes. */
function isAddressed(message: InboundMessage, facts: MentionFacts): boolean {
  const isNamed = message.addressed || message.mentions?.self === true || facts.patterns.match(message.text)
  if (message.sender.isBot && needsName(message, facts.settings)) return isNamed
  return !isRoom(message) || isNamed || needsNoName(message, facts)
}

function needsName({ conversation }: InboundMessage, settings: PlatformSettings): boolean {
  return settings.bots_require_mention || (settings.allow_bots === 'mentions' && conversation.kind !== 'dm')
}

function needsNoName(message: InboundMessage, { settings, takesPart }: MentionFacts): boolean {
  if (settings.ignore_other_user_mentions && message.mentions?.others === true) return false
  if (isIn(message, settings.require_mention_channels)) return false
  if (isIn(message, settings.free_response_channels)) return true
  const isThread = message.conversation.kind === 'thread'
  if (isThread && settings.thread_require_mention) return false
  if (!settings.require_mention) return true
  return isThread && !settings.strict_mention && takesPart(message)
}
