import type { InboundMessage } from '@agent/plugin-sdk'
import type { Journal } from '#store/journal.ts'

/** A message of ours, as the platform calls it. Many platforms count messages separately in each conversation. */
export interface SentMessage {
  readonly platform: string
  readonly account: string
  readonly conversation: string
  readonly id: string
}

/** What the bot has said lately, so that it never answers itself. */
export interface Echoes {
  note(sent: SentMessage): void
  /** The journal, with every receipt noted. */
  listen(journal: Journal): Journal
  /** By the platform's id of what was sent, or by the prefix of our answers in a conversation with oneself. */
  isOwn(platform: string, message: InboundMessage, prefix: string): boolean
}

const kept = 512

export function createEchoes(): Echoes {
  const sent = new Map<string, Set<string>>()
  const note: Echoes['note'] = (message) => {
    const ids = sent.get(message.platform) ?? new Set()
    sent.set(message.platform, ids)
    const name = nameOf(message)
    ids.delete(name)
    ids.add(name)
    const [oldest] = ids
    if (ids.size > kept && oldest !== undefined) ids.delete(oldest)
  }
  return {
    note,
    listen: (journal) => ({
      ...journal,
      settleSend: (send, result) => {
        const { account, conversation } = send.message
        if (result.status === 'sent') note({ platform: send.platform, account, conversation, id: result.platformId })
        return journal.settleSend(send, result)
      },
    }),
    isOwn(platform, { id, account, text, conversation }, prefix) {
      if (sent.get(platform)?.has(nameOf({ account, conversation: conversation.id, id }))) return true
      return conversation.kind === 'dm' && prefix.trim() !== '' && text.startsWith(prefix.trimEnd())
    },
  }
}

function nameOf({ account, conversation, id }: Omit<SentMessage, 'platform'>): string {
  return JSON.stringify([account, conversation, id])
}
