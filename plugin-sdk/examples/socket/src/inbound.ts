import type { Identity, InboundMessage } from '@agent/plugin-sdk'
import type { Line } from './wire.ts'

/** What somebody said: `MSG id conversation person text`. Undefined for our own words, and where a word is missing. */
export function readMessage([, id, conversation, person, text]: Line, self: Identity): InboundMessage | undefined {
  if (!id || !conversation || !person || text === undefined || person === self.id) return undefined
  const isRoom = conversation.startsWith('#')
  return {
    id,
    account: self.id,
    conversation: { id: conversation, kind: isRoom ? 'group' : 'dm' },
    sender: { id: person, isBot: false },
    text,
    addressed: !isRoom || text.startsWith(`${self.id}:`),
  }
}
