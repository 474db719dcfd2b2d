import type { InboundMessage } from '@agent/plugin-sdk'
import type { Self, WireMessage } from './wire.ts'

/** What somebody said; undefined for our own words. */
export function readMessage({ number, from, room, text, mentions }: WireMessage, self: Self): InboundMessage | undefined {
  if (from.id === self.id) return undefined
  return {
    id: String(number),
    account: self.id,
    conversation: { id: room.id, kind: room.direct ? 'dm' : 'group' },
    sender: { id: from.id, name: from.name, isBot: from.bot },
    text,
    addressed: room.direct || mentions.includes(self.id),
  }
}
