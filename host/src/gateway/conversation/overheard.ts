import type { InboundMessage } from '@agent/plugin-sdk'

/** What was said in a room without addressing the bot: context for the next turn there, kept in memory only. */
export interface Overheard {
  add(platform: string, message: InboundMessage): void
  /** What was said since the last turn, oldest first; it is forgotten by this. */
  take(platform: string, message: InboundMessage): readonly InboundMessage[]
}

const perRoom = 50
const rooms = 200
const longestText = 1_000

export function createOverheard(): Overheard {
  const heard = new Map<string, readonly InboundMessage[]>()
  return {
    add(platform, message) {
      const room = roomOf(platform, message)
      const before = heard.get(room) ?? []
      heard.delete(room)
      const { id, account, conversation, sender, addressed } = message
      const short = { id, account, conversation, sender, addressed, text: message.text.slice(0, longestText) }
      heard.set(room, [...before, short].slice(-perRoom))
      const [oldest] = heard.keys()
      if (heard.size > rooms && oldest !== undefined) heard.delete(oldest)
    },
    take(platform, message) {
      const room = roomOf(platform, message)
      const said = heard.get(room) ?? []
      heard.delete(room)
      return said
    },
  }
}

function roomOf(platform: string, { account, conversation }: InboundMessage): string {
  return JSON.stringify([platform, account, conversation.id])
}
