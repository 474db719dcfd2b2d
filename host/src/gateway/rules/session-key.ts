import type { InboundMessage } from '@agent/plugin-sdk'
import type { Home } from '#config/home/home.ts'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { ConversationRef } from '#store/journal.ts'
import type { PlatformRules } from './platform-rules.ts'

export interface SessionScope {
  readonly profile: string
  readonly platform: string
  readonly settings: Pick<PlatformSettings, 'group_sessions_per_user' | 'thread_sessions_per_user'>
}

export interface SessionSettings {
  readonly home: Pick<Home, 'profile'>
  readonly rules: Pick<PlatformRules, 'of'>
}

/**
 * Which session a message belongs to. Mostly everyone in a group has their own session, and a thread is shared by those who
 * speak in it. The profile called `main` must not meet the default one's name.
 */
export function sessionKey({ profile, platform, settings }: SessionScope, message: InboundMessage): string {
  const { account, conversation, sender } = message
  const space = profile === 'default' ? 'main' : profile === 'main' ? 'main~' : profile
  const own = conversation.kind !== 'dm' && !isShared(settings, message) ? [sender.id] : []
  return ['agent', space, platform, conversation.kind, account, conversation.id, ...own].map(escapePart).join(':')
}

/** The same, by the settings of now. */
export function sessionKeyOf({ home, rules }: SessionSettings, platform: string, message: InboundMessage): string {
  return sessionKey({ profile: home.profile, platform, settings: rules.of(platform).settings }, message)
}

/** Whether several people talk in one session there. */
export function isShared(settings: SessionScope['settings'], { conversation: { kind } }: InboundMessage): boolean {
  if (kind === 'thread') return !settings.thread_sessions_per_user
  return kind !== 'dm' && !settings.group_sessions_per_user
}

/** The conversation that a session key stands for; undefined for a key that no messaging platform made. */
export function parseSessionKey(key: string): ConversationRef | undefined {
  const [start, , platform, kind, account = '', conversation] = key.split(':').map(readPart)
  if (start !== 'agent' || !platform || !kind || !conversation) return undefined
  return { platform, account, conversation }
}

function readPart(part: string): string {
  return part.replace(/%(3A|25)/g, (_found, code) => (code === '3A' ? ':' : '%'))
}

function escapePart(part: string): string {
  return part.replace(/[%:]/g, (found) => (found === ':' ? '%3A' : '%25'))
}
