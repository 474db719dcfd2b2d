import type { Attachment, Conversation, InboundMessage, MediaKind, Press, Sender } from '@agent/plugin-sdk'
import { formatMessageId, formatPlace } from './address.ts'
import type { CallbackQuery, TelegramChat, TelegramEntity, TelegramMessage, TelegramUser } from './wire.ts'

/** Who the bot is, and how the commands of its menu are really called. */
export interface Receiver {
  readonly self: TelegramUser
  readonly commandOf: (menuName: string) => string
}

/** What somebody said. Undefined for everything else: joins, pins, our own words. */
export function readMessage(message: TelegramMessage, receiver: Receiver): InboundMessage | undefined {
  const { self } = receiver
  const sender = readSender(message)
  const media = readMedia(message)
  if (!sender || sender.id === String(self.id)) return undefined
  const raw = message.text ?? message.caption ?? describeExtra(message)
  if (raw === undefined && media.length === 0) return undefined
  const { text, named, others } = readText(raw ?? '', message.entities ?? message.caption_entities ?? [], receiver)
  const replyTo = readReply(message)
  return {
    id: formatMessageId(message.chat.id, message.message_id),
    account: String(self.id),
    conversation: readConversation(message),
    sender,
    text,
    addressed: message.chat.type === 'private' || named || replyTo?.sender === String(self.id),
    mentions: { self: named, others },
    ...(replyTo && { replyTo }),
    ...(media.length > 0 && { media }),
    sentAt: message.date * 1000,
  }
}

/** Where a message stands: a chat, or a forum topic in it. */
export function readConversation(message: TelegramMessage): Conversation {
  const { chat, is_topic_message: inTopic, message_thread_id: topic, reply_to_message: reply } = message
  const id = formatPlace(chat.id, inTopic ? topic : undefined)
  if (id === String(chat.id)) return { id, kind: kindOf(chat), ...withName(nameOf(chat)) }
  return { id, kind: 'thread', parent: String(chat.id), ...withName(reply?.forum_topic_created?.name ?? nameOf(chat)) }
}

/** The conversation and the person of a pressed button; undefined where Telegram does not say any more where it was. */
export function readPress({ message, from, data }: CallbackQuery, account: string): Press | undefined {
  if (!message || message.date === 0 || data === undefined) return undefined
  return { account, conversation: readConversation(message), sender: describeUser(from), button: data }
}

const kindOf = ({ type }: TelegramChat): Conversation['kind'] => (type === 'private' ? 'dm' : type === 'channel' ? 'channel' : 'group')
const nameOf = ({ title, username, first_name }: TelegramChat): string | undefined => title ?? first_name ?? username
const withName = (name: string | undefined): { name?: string } => (name ? { name } : {})

/** Who speaks as a channel or as the group has the id of that chat; what Telegram sets in its place is nobody. */
function readSender({ from, sender_chat: speaker }: TelegramMessage): Sender | undefined {
  if (speaker) return { id: String(speaker.id), ...withName(nameOf(speaker)), isBot: false }
  return from && describeUser(from)
}

function describeUser({ id, first_name, last_name, username, is_bot }: TelegramUser): Sender {
  const name = [first_name, last_name].filter(Boolean).join(' ')
  return { id: String(id), ...withName(name), ...(username && { aliases: [`@${username}`] }), isBot: is_bot }
}

/** In a topic every message seems to answer the one that opened the topic. */
function readReply(message: TelegramMessage): InboundMessage['replyTo'] {
  const { chat, reply_to_message: reply, quote } = message
  if (!reply || reply.forum_topic_created) return undefined
  const text = quote?.text ?? reply.text ?? reply.caption
  const sender = reply.from && String(reply.from.id)
  return { id: formatMessageId(chat.id, reply.message_id), ...(text && { text }), ...(sender && { sender }) }
}

interface Reading {
  readonly text: string
  /** The bot was named; somebody else was. */
  readonly named: boolean
  readonly others: boolean
}

/** Takes the name of the bot out of a text, and `@bot` off a command. */
function readText(raw: string, entities: readonly TelegramEntity[], receiver: Receiver): Reading {
  // From the end, so that what is cut does not move what is still to be read.
  const fromEnd = [...entities].sort((one, other) => other.offset - one.offset)
  const names = fromEnd.flatMap((entity) => readName(raw, entity, receiver) ?? [])
  const text = names.reduce((left, { offset, length, by }) => left.slice(0, offset) + by + left.slice(offset + length), raw)
  const named = names.some(({ whom }) => whom === 'self')
  return {
    text: named
      ? text
          .replace(/^[\s,:]+/, '')
          .replace(/ {2,}/g, ' ')
          .trim()
      : text.trim(),
    named,
    others: names.some(({ whom }) => whom === 'other'),
  }
}

interface Name {
  readonly whom: 'self' | 'other' | 'nobody'
  readonly offset: number
  readonly length: number
  /** What stands there instead. */
  readonly by: string
}

/** Whom a mention or a command names; undefined for every other run. */
function readName(raw: string, { type, offset, length, user }: TelegramEntity, { self, commandOf }: Receiver): Name | undefined {
  const word = raw.slice(offset, offset + length)
  const isOwn = (name: string): boolean => name.toLowerCase() === `@${self.username ?? ''}`.toLowerCase()
  const name = (whom: Name['whom'], by: string): Name => ({ whom, offset, length, by })
  if (type === 'text_mention') return user?.id === self.id ? name('self', '') : name('other', word)
  if (type === 'mention') return isOwn(word) ? name('self', '') : name('other', word)
  if (type !== 'bot_command') return undefined
  const [, command = '', to] = /^\/(\w+)(@\w+)?$/.exec(word) ?? []
  if (to !== undefined && !isOwn(to)) return name('other', word)
  return name(to === undefined ? 'nobody' : 'self', offset === 0 ? `/${commandOf(command)}` : `/${command}`)
}

function describeExtra({ location, contact }: TelegramMessage): string | undefined {
  if (location) return `(location: ${location.latitude}, ${location.longitude})`
  return contact && `(contact: ${contact.first_name}, ${contact.phone_number})`
}

const fileKinds: readonly (readonly [MediaKind, 'voice' | 'audio' | 'video' | 'video_note' | 'animation' | 'document', string])[] = [
  ['voice', 'voice', 'audio/ogg'],
  ['audio', 'audio', 'audio/mpeg'],
  ['video', 'video', 'video/mp4'],
  ['video', 'video_note', 'video/mp4'],
  // An animation comes as a document too.
  ['video', 'animation', 'video/mp4'],
  ['document', 'document', 'application/octet-stream'],
]

function readMedia(message: TelegramMessage): readonly Attachment[] {
  // The same picture in several sizes, the largest last.
  const photo = message.photo?.at(-1)
  if (photo) return [{ id: photo.file_id, kind: 'image', mime: 'image/jpeg', ...withBytes(photo.file_size) }]
  const { sticker } = message
  if (sticker) {
    const mime = sticker.is_video ? 'video/webm' : sticker.is_animated ? 'application/x-tgsticker' : 'image/webp'
    return [{ id: sticker.file_id, kind: 'sticker', mime, ...withName(sticker.emoji), ...withBytes(sticker.file_size) }]
  }
  for (const [kind, field, usual] of fileKinds) {
    const file = message[field]
    if (!file) continue
    const mime = file.mime_type ?? usual
    const really = kind === 'document' && mime.startsWith('image/') ? 'image' : kind
    return [{ id: file.file_id, kind: really, mime, ...withName(file.file_name), ...withBytes(file.file_size) }]
  }
  return []
}

const withBytes = (bytes: number | undefined): { bytes?: number } => (bytes === undefined ? {} : { bytes })
