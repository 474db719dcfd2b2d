import type { InboundMessage } from '@agent/plugin-sdk'
import type { PlatformSettings } from '#config/platform-settings.ts'
import { isIn, isRoom } from '../authorise/find-ground.ts'
import type { MentionPatterns } from './mention-patterns.ts'

export interface MentionFacts {
  readonly settings: PlatformSettings
  /** Wake words of the platform. */
  readonly patterns: Pick<MentionPatterns, 'match'>
  /** Whether the bot has been asked in this thread before. */
  readonly takesPart: (message: InboundMessage) => boolean
}

/** Whether the bot is meant. Where it cannot tell who it is, nobody has named it: then only what needs no mention passes. */
export function isAddressed(message: InboundMessage, facts: MentionFacts): boolean {
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
