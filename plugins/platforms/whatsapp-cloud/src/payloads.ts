import type { Button, OutboundMedia, OutboundMessage, Wire } from '@agent/plugin-sdk'
import { formatWhatsapp } from './markup.ts'

/** The body of one request, without whom it goes to. */
export type Payload = Readonly<Record<string, Wire>>

const longest = 4096
const longestQuestion = 1024
const mostReplies = 3

/** The words with their signs, or bare where the signs would make them too long. */
export function formatText({ body, text }: OutboundMessage): string {
  const marked = body ? formatWhatsapp(body) : text
  return marked.length > longest || marked.trim() === '' ? text : marked
}

export const writeText = (body: string): Payload => ({ type: 'text', text: { body, preview_url: false } })

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** A question with its buttons; a longer one goes before them as a separate message. */
export function writeQuestion(text: string, buttons: readonly Button[]): readonly Payload[] {
  if (text.length > longestQuestion) return [writeText(text), ...writeQuestion('Please choose:', buttons)]
  const body = { text }
  if (buttons.length <= mostReplies) {
    const replies = buttons.map(({ id, label }) => ({ type: 'reply', reply: { id, title: cut(label, 20) } }))
    return [{ type: 'interactive', interactive: { type: 'button', body, action: { buttons: replies } } }]
  }
  const rows = buttons.map(({ id, label }) => ({
    id,
    title: cut(label, 24),
    ...(label.length > 24 ? { description: cut(label, 72) } : {}),
  }))
  return [{ type: 'interactive', interactive: { type: 'list', body, action: { button: 'Choose', sections: [{ rows }] } } }]
}

const megabyte = 1 << 20

/** How WhatsApp takes a file: what it does not show goes as a document. */
export function chooseType({ blob, kind }: OutboundMedia): 'image' | 'video' | 'audio' | 'document' {
  const { mime, bytes } = blob
  if (kind === 'image' && /^image\/(jpeg|png)$/.test(mime) && bytes <= 5 * megabyte) return 'image'
  if (kind === 'video' && /^video\/(mp4|3gpp)$/.test(mime) && bytes <= 16 * megabyte) return 'video'
  const isAudio = kind === 'audio' || kind === 'voice'
  return isAudio && /^audio\/(aac|amr|mpeg|mp4|ogg)$/.test(mime) && bytes <= 16 * megabyte ? 'audio' : 'document'
}

/** A file that was uploaded. */
export function writeFile(media: OutboundMedia, id: string, caption: string): Payload {
  const type = chooseType(media)
  const isBubble = type === 'audio' && media.kind === 'voice' && media.blob.mime === 'audio/ogg'
  return {
    type,
    [type]: {
      id,
      ...(caption === '' || type === 'audio' ? {} : { caption }),
      ...(type === 'document' ? { filename: media.blob.name ?? 'file' } : {}),
      ...(isBubble ? { voice: true } : {}),
    },
  }
}
