import type { InboundMessage } from '@agent/plugin-sdk'

export interface SessionScope {
  readonly profile: string
  readonly platform: string
}

/**
 * Which session a message belongs to. In a group everyone has a session of their own; a thread is shared by those who speak in it.
 * The profile called `main` must not meet the default one's name.
 */
export function sessionKey({ profile, platform }: SessionScope, { account, conversation, sender }: InboundMessage): string {
  const space = profile === 'default' ? 'main' : profile === 'main' ? 'main~' : profile
  const own = conversation.kind === 'group' || conversation.kind === 'channel' ? [sender.id] : []
  return ['agent', space, platform, conversation.kind, account, conversation.id, ...own].map(escapePart).join(':')
}

function escapePart(part: string): string {
  return part.replace(/[%:]/g, (found) => (found === ':' ? '%3A' : '%25'))
}
