import { randomUUID } from 'node:crypto'
import type { OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { alterReceipt, alterSend, atTime, messaging, needs, rowsOf, type Seed } from './fault.ts'

const sent = (): Receipt => ({ status: 'sent', platformId: randomUUID() })
const about = { platform: 'platform', detail: 'made up' }
const refused = (): Receipt => ({ status: 'refused', error: toWireError(fail('SEND_REFUSED', about)) })
const unknown = (): Receipt => ({ status: 'unknown', error: toWireError(fail('SEND_UNKNOWN', about)) })

const altered = (change: (message: OutboundMessage) => OutboundMessage): Seed => alterSend(() => (message, send) => send(change(message)))

const isWide = (text: string): boolean => Buffer.byteLength(text) > text.length

/** Cuts a text where it counts in another unit than the platform does. */
const cutWide = altered((message) => {
  if (Buffer.byteLength(message.text) < 300 || !isWide(message.text)) return message
  const text = message.text.slice(0, Math.floor(message.text.length / 2))
  return { ...message, text, body: paragraph(text) }
})

function paragraph(text: string): NonNullable<OutboundMessage['body']> {
  return [{ type: 'paragraph', children: [{ type: 'text', text }] }]
}

const firstPlace: Seed = alterSend(() => {
  let first: string | undefined
  return async (message, send) => {
    first ??= message.conversation
    return await send({ ...message, conversation: first })
  }
})

const spoilt: Seed = alterSend(() => {
  let isSpoilt = false
  return async (message, send) => {
    if (isSpoilt) return refused()
    const receipt = await send(message)
    isSpoilt = receipt.status !== 'sent'
    return receipt
  }
})

/** Tells what it hopes for. */
const early: Seed = alterSend(() => async (message, send) => {
  void send(message).catch(() => undefined)
  return sent()
})

const stuck: Seed = alterSend(() => async (message, send) => {
  const receipt = await send(message).catch(refused)
  return receipt.status === 'sent' ? receipt : await new Promise<never>(() => undefined)
})

const insisting: Seed = alterSend(() => async (message, send) => {
  const receipt = await send(message)
  return receipt.status === 'unknown' ? await send({ ...message, key: `${message.key}-again` }) : receipt
})

const lastId: Seed = alterSend(() => {
  let last: string | undefined
  return async (message, send) => {
    const receipt = await send(message)
    if (receipt.status !== 'sent') return receipt
    last ??= receipt.platformId
    return { status: 'sent', platformId: last }
  }
})

export const outboundFaults = rowsOf('outbound', [
  [
    'twice',
    'the second message of a connection is sent twice',
    messaging,
    alterSend(() => {
      const isSecond = atTime(2)
      return async (message, send) => {
        if (isSecond()) await send({ ...message, key: `${message.key}-again` })
        return await send(message)
      }
    }),
  ],
  ['twice-when-unknown', 'what became of a send is not known, and it is sent once more', messaging, insisting],
  [
    'dropped',
    'the third message of a connection is told as sent and is not',
    messaging,
    alterSend(() => {
      const isThird = atTime(3)
      return async (message, send) => (isThird() ? sent() : await send(message))
    }),
  ],
  ['first-place', 'every message goes to the conversation of the first', messaging, firstPlace],
  [
    'cut',
    'the longest text loses its last sign',
    messaging,
    alterSend(() => {
      let longest = 400
      return async (message, send) => {
        if (message.text.length <= longest) return await send(message)
        longest = message.text.length
        const text = message.text.slice(0, -1)
        return await send({ ...message, text, body: paragraph(text) })
      }
    }),
  ],
  ['cut-wide', 'a long text beyond ASCII is cut', messaging, cutWide],
  [
    'one-line',
    'of a text of several lines the first is sent',
    messaging,
    altered((message) => {
      const [text = ''] = message.text.split('\n')
      return text === message.text ? message : { ...message, text, body: paragraph(text) }
    }),
  ],
  ['early', 'a receipt is given before the message is sent', messaging, early],
  ['refused-as-sent', 'what was refused is told as sent', messaging, alterReceipt((told) => (told.status === 'refused' ? sent() : told))],
  [
    'unknown-as-sent',
    'what is not known to have arrived is told as sent',
    messaging,
    alterReceipt((told) => (told.status === 'unknown' ? sent() : told)),
  ],
  [
    'unknown-as-refused',
    'what may have arrived is told as refused',
    messaging,
    alterReceipt((told) => (told.status === 'unknown' ? refused() : told)),
  ],
  [
    'sent-as-unknown',
    'from the second message on nothing is known of any',
    messaging,
    alterSend(() => {
      let count = 0
      return async (message, send) => {
        const receipt = await send(message)
        count += 1
        return count > 1 && receipt.status === 'sent' ? unknown() : receipt
      }
    }),
  ],
  [
    'refused-as-unknown',
    'what certainly did not arrive is told as unknown',
    messaging,
    alterReceipt((told) => (told.status === 'refused' ? { ...told, status: 'unknown' } : told)),
  ],
  [
    'refused-rejects',
    'a refusal is no receipt, but an error',
    messaging,
    alterSend(() => async (message, send) => {
      const receipt = await send(message)
      if (receipt.status === 'refused') throw fail('SEND_REFUSED', about)
      return receipt
    }),
  ],
  [
    'no-wait',
    'a refusal for haste does not say how long to wait',
    messaging,
    alterReceipt((told) => {
      if (told.status === 'sent') return told
      const { retryAfterMs: _, ...error } = told.error
      return { ...told, error }
    }),
  ],
  ['never-told', 'a send that goes wrong is never answered', messaging, stuck],
  ['spoilt', 'after a send that went wrong every other is refused', messaging, spoilt],
  [
    'id-lost',
    'a receipt does not name the message',
    messaging,
    alterReceipt((told) => (told.status === 'sent' ? { ...told, platformId: '' } : told)),
  ],
  [
    'id-of-file-lost',
    'the receipt of a file does not name the message',
    needs('media'),
    alterReceipt((told, { media }) => (told.status === 'sent' && media ? { ...told, platformId: '' } : told)),
  ],
  ['first-id', 'every receipt names the first message', messaging, lastId],
  [
    'id-as-number',
    'a receipt names the message by a number',
    messaging,
    alterReceipt((told) => (told.status === 'sent' ? { ...told, platformId: told.platformId.length as unknown as string } : told)),
  ],
  ['file-lost', 'a document is not sent, only its text', needs('media'), altered(withoutDocument)],
  [
    'second-file-lost',
    'of several files the first is sent',
    needs('media'),
    altered((message) => (message.media ? { ...message, media: message.media.slice(0, 1) } : message)),
  ],
  [
    'caption-lost',
    'a file is sent without its text',
    needs('media'),
    altered((message) => (message.media ? { ...message, text: '', body: [] } : message)),
  ],
  [
    'button-lost',
    'the last button is not shown',
    needs('buttons'),
    altered((message) => (message.buttons ? { ...message, buttons: message.buttons.slice(0, -1) } : message)),
  ],
  [
    'key-lost',
    'a message that is sent again has another key',
    needs('idempotentSend'),
    altered((message) => ({ ...message, key: randomUUID() })),
  ],
])

function withoutDocument({ media, ...message }: OutboundMessage): OutboundMessage {
  const left = (media ?? []).filter(({ kind }) => kind !== 'document')
  return left.length > 0 ? { ...message, media: left } : message
}
