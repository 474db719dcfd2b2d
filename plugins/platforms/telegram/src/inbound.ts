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
  const { chat, location } = message
  const account = String(receiver.self.id)
  const sender = readSender(message)
  const media = readMedia(message)
  if (!sender || sender.id === account) return undefined
  const raw = message.text ?? message.caption ?? (location && `(location: ${location.latitude}, ${location.longitude})`)
  if (raw === undefined && media.length === 0) return undefined
  const { text, named, others } = readText(raw ?? '', message.entities ?? message.caption_entities ?? [], receiver)
  const replyTo = readReply(message)
  return {
    id: formatMessageId(chat.id, message.message_id),
    account,
    conversation: readConversation(message),
    sender,
    text,
    addressed: chat.type === 'private' || named || replyTo?.sender === account,
    mentions: { self: named, others },
    ...(replyTo && { replyTo }),
    ...(media.length > 0 && { media }),
    sentAt: message.date * 1000,
  }
}

/** The conversation and the person of a pressed button; undefined where Telegram does not say any more where it was. */
export function readPress({ message, from, data }: CallbackQuery, account: string): Press | undefined {
  if (!message || message.date === 0 || data === undefined) return undefined
  return { account, conversation: readConversation(message), sender: describeUser(from), button: data }
}

/** Where a message stands: a chat, or a forum topic in it. */
function readConversation(message: TelegramMessage): Conversation {
  const { chat, is_topic_message: inTopic, message_thread_id: topic, reply_to_message: reply } = message
  const id = formatPlace(chat.id, inTopic ? topic : undefined)
  if (id === String(chat.id)) return { id, kind: chat.type === 'private' ? 'dm' : 'group', ...withName(nameOf(chat)) }
  return { id, kind: 'thread', parent: String(chat.id), ...withName(reply?.forum_topic_created?.name ?? nameOf(chat)) }
}

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
function readReply({ chat, reply_to_message: reply, quote }: TelegramMessage): InboundMessage['replyTo'] {
  if (!reply || reply.forum_topic_created) return undefined
  const text = quote?.text ?? reply.text ?? reply.caption
  const sender = reply.from && String(reply.from.id)
  return { id: formatMessageId(chat.id, reply.message_id), ...(text && { text }), ...(sender && { sender }) }
}

/** Takes the name of the bot out of a text, and `@bot` off a command; says whether the bot was named, and somebody else. */
function readText(raw: string, entities: readonly TelegramEntity[], receiver: Receiver) {
  // From the end, so that what is cut does not move what is still to be read.
  const fromEnd = [...entities].sort((one, other) => other.offset - one.offset)
  const names = fromEnd.flatMap((entity) => readName(raw, entity, receiver) ?? [])
  const left = names.reduce((text, { offset, length, by }) => text.slice(0, offset) + by + text.slice(offset + length), raw)
  const named = names.some(({ whom }) => whom === 'self')
  const text = (named ? left.replace(/^[\s,:]+/, '').replace(/ {2,}/g, ' ') : left).trim()
  return { text, named, others: names.some(({ whom }) => whom === 'other') }
}

/** Whom a mention or a command names, and what stands there instead; undefined for every other run. */
function readName(raw: string, { type, offset, length, user }: TelegramEntity, { self, commandOf }: Receiver) {
  const word = raw.slice(offset, offset + length)
  const isOwn = (name: string): boolean => name.toLowerCase() === `@${self.username ?? ''}`.toLowerCase()
  const name = (whom: 'self' | 'other' | 'nobody', by: string) => ({ whom, offset, length, by })
  if (type === 'text_mention') return user?.id === self.id ? name('self', '') : name('other', word)
  if (type === 'mention') return isOwn(word) ? name('self', '') : name('other', word)
  if (type !== 'bot_command') return undefined
  const [, command = '', to] = /^\/(\w+)(@\w+)?$/.exec(word) ?? []
  if (to !== undefined && !isOwn(to)) return name('other', word)
  return name(to === undefined ? 'nobody' : 'self', offset === 0 ? `/${commandOf(command)}` : `/${command}`)
}

/** Under which field files come, and what they usually are. An animation comes as a document too. */
const fileKinds = [
  ['voice', 'voice', 'audio/ogg'],
  ['audio', 'audio', 'audio/mpeg'],
  ['video', 'video', 'video/mp4'],
  ['video_note', 'video', 'video/mp4'],
  ['animation', 'video', 'video/mp4'],
  ['sticker', 'sticker', 'image/webp'],
  ['document', 'document', 'application/octet-stream'],
] as const satisfies readonly (readonly [keyof TelegramMessage, MediaKind, string])[]

function readMedia(message: TelegramMessage): readonly Attachment[] {
  // The same picture in several sizes, the largest last.
  const photo = message.photo?.at(-1)
  const [field, kind, usual] = photo ? (['photo', 'image', 'image/jpeg'] as const) : (fileKinds.find(([name]) => message[name]) ?? [])
  const file = photo ?? (field && field !== 'photo' ? message[field] : undefined)
  if (!file || !kind) return []
  const mime = file.mime_type ?? (file.is_video ? 'video/webm' : file.is_animated ? 'application/x-tgsticker' : usual)
  const really = kind === 'document' && mime.startsWith('image/') ? 'image' : kind
  const bytes = file.file_size === undefined ? {} : { bytes: file.file_size }
  return [{ id: file.file_id, kind: really, mime, ...withName(file.file_name ?? file.emoji), ...bytes }]
}
