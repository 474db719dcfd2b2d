import type { AnswerPart, ConversationRef } from '../../journal.ts'
import type { JournalTools } from './journal-tools.ts'

interface PartsToAdd {
  /** For parts that name no place. */
  readonly place: ConversationRef
  readonly parts: readonly AnswerPart[]
  /** The message that is answered; 0 for none. */
  readonly inbox: number
  readonly keyOf: (index: number) => string
}

/** Queues parts in their order. */
export function addParts(outbox: JournalTools['outbox'], { place, parts, inbox, keyOf }: PartsToAdd): void {
  for (const [index, { text, to = place, replyTo, media, buttons }] of parts.entries()) {
    outbox.add.run({
      ...{ platform: to.platform, account: to.account, conversation: to.conversation },
      key: keyOf(index),
      inbox,
      kind: 'part',
      part: index,
      total: parts.length,
      text,
      reply_to: replyTo ?? null,
      media: media ? JSON.stringify(media) : null,
      buttons: buttons ? JSON.stringify(buttons) : null,
      state: 'pending',
      owner: null,
      attempts: 0,
      tried_at: null,
    })
  }
}
