import type { InboundMessage } from '@agent/plugin-sdk'
import type { Journal } from '#store/journal.ts'

/** What the bot has said lately, so that it never answers itself. */
export interface Echoes {
  note(platform: string, id: string): void
  /** The journal, with every receipt noted. */
  listen(journal: Journal): Journal
  /** By the platform's id of what was sent, or by the prefix of our answers in a conversation with oneself. */
  isOwn(platform: string, message: InboundMessage, prefix: string): boolean
}

const kept = 512

export function createEchoes(): Echoes {
  const sent = new Map<string, Set<string>>()
  const note: Echoes['note'] = (platform, id) => {
    const ids = sent.get(platform) ?? new Set()
    sent.set(platform, ids)
    ids.delete(id)
    ids.add(id)
    const [oldest] = ids
    if (ids.size > kept && oldest !== undefined) ids.delete(oldest)
  }
  return {
    note,
    listen: (journal) => ({
      ...journal,
      settleSend: (send, result) => {
        if (result.status === 'sent') note(send.platform, result.platformId)
        return journal.settleSend(send, result)
      },
    }),
    isOwn(platform, { id, text, conversation }, prefix) {
      if (sent.get(platform)?.has(id)) return true
      return conversation.kind === 'dm' && prefix.trim() !== '' && text.startsWith(prefix.trimEnd())
    },
  }
}
