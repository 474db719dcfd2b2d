import type { Attachment, InboundMessage, Press } from '@agent/plugin-sdk'
import type { WhatsappFile, WhatsappMessage } from './wire.ts'

export interface Receiver {
  readonly phoneNumberId: string
  /** Names of people by their numbers and ids. */
  readonly names: ReadonlyMap<string, string>
  /** The words of a message that is quoted, where they are known. */
  readonly findText: (id: string) => string | undefined
}

type Person = Pick<InboundMessage, 'account' | 'conversation' | 'sender'>

/** Who wrote: by number, or by Meta's id where the number is hidden. Groups are not answered. */
function readPerson({ from, from_user_id, group_id }: WhatsappMessage, { phoneNumberId, names }: Receiver): Person | undefined {
  const id = from || from_user_id
  if (!id || group_id !== undefined) return undefined
  const name = names.get(id) ?? names.get(from_user_id ?? '')
  const aliases = [...(from ? [`+${from}`] : []), ...(from && from_user_id ? [from_user_id] : [])]
  return {
    account: phoneNumberId,
    conversation: { id, kind: 'dm', ...(name ? { name } : {}) },
    sender: { id, ...(name ? { name } : {}), ...(aliases.length > 0 ? { aliases } : {}), isBot: false },
  }
}

const kinds = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** What somebody wrote or sent. Undefined for everything else: marks, pressed buttons, system messages, what is not supported. */
export function readMessage(message: WhatsappMessage, receiver: Receiver): InboundMessage | undefined {
  const person = readPerson(message, receiver)
  if (!person) return undefined
  const kind = kinds.find((one) => one === message.type)
  const file = kind && message[kind]
  const text = (file ? file.caption : readWords(message))?.trim() ?? ''
  if (text === '' && !file) return undefined
  const quoted = message.context?.id
  const words = quoted === undefined ? undefined : receiver.findText(quoted)
  const seconds = Number(message.timestamp)
  return {
    ...person,
    id: message.id,
    text,
    addressed: true,
    ...(quoted === undefined ? {} : { replyTo: { id: quoted, ...(words === undefined ? {} : { text: words }) } }),
    ...(file ? { media: [readFile(kind, file)] } : {}),
    ...(seconds > 0 ? { sentAt: seconds * 1000 } : {}),
  }
}

function readWords({ type, text, button, location }: WhatsappMessage): string | undefined {
  if (type === 'text') return text?.body
  if (type === 'button') return button?.text
  if (type !== 'location' || !location) return undefined
  const { latitude, longitude, name, address } = location
  return ['Location:', name, address, `${latitude}, ${longitude}`].filter((part) => part).join(' ')
}

function readFile(kind: (typeof kinds)[number], { id, mime_type, filename, voice }: WhatsappFile): Attachment {
  return {
    id,
    kind: kind === 'audio' && voice ? 'voice' : kind,
    mime: mime_type?.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream',
    ...(filename ? { name: filename } : {}),
  }
}

/** A pressed button of ours, and the message below which it was. */
export function readPress(message: WhatsappMessage, receiver: Receiver): { readonly press: Press; readonly question: string } | undefined {
  const chosen = message.interactive?.button_reply ?? message.interactive?.list_reply
  const person = readPerson(message, receiver)
  if (!chosen || !person) return undefined
  return { press: { ...person, button: chosen.id }, question: message.context?.id ?? '' }
}
