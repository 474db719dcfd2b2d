import type { Attachment, Conversation, InboundMessage, MediaKind, Sender } from '@agent/plugin-sdk'
import { describePlace, describeUnknown, formatThread } from './place.ts'
import { type Channel, channelTypes, type Interaction, type Member, type User, type WireMessage } from './wire.ts'

/** What is the same for every message of a connection. */
export interface Receiver {
  /** The bot's own id. */
  readonly account: string
  isOwnRole(id: string): boolean
  /** Whether a mention in this channel is answered in a thread of its own. */
  opensThread(channel: Channel): boolean
}

const types = { plain: 0, reply: 19 } as const
const voiceFlag = 1 << 13

/** What somebody said. Undefined for everything else: ourselves, joins, pins, an empty message. */
export function readMessage(message: WireMessage, channel: Channel | undefined, receiver: Receiver): InboundMessage | undefined {
  const { author, type, mentions = [], referenced_message: quoted } = message
  if (author.id === receiver.account || (type !== types.plain && type !== types.reply)) return undefined
  const text = readText(message, receiver)
  const media = readMedia(message)
  if (text === '' && media.length === 0) return undefined
  const self = mentions.some(({ id }) => id === receiver.account) || (message.mention_roles ?? []).some((id) => receiver.isOwnRole(id))
  const conversation = channel ? describePlace(channel) : describeUnknown(message.channel_id, message.guild_id)
  const toThread = self && type === types.plain && channel !== undefined && receiver.opensThread(channel) && !text.startsWith('/')
  const sender = readSender(author, message.member, message.webhook_id !== undefined)
  return {
    id: message.id,
    account: receiver.account,
    // Discord gives a thread the id of the message that it begins with, so it is known before there is a thread.
    conversation: toThread ? openThread(channel, message.id, text) : nameDirect(conversation, sender),
    sender,
    text,
    addressed: self || conversation.kind === 'dm' || quoted?.author.id === receiver.account,
    mentions: { self, others: mentions.some(({ id }) => id !== receiver.account && id !== quoted?.author.id) },
    ...(quoted ? { replyTo: { id: quoted.id, text: quoted.content, sender: quoted.author.id } } : {}),
    ...(media.length > 0 ? { media } : {}),
    ...readTime(message.timestamp),
  }
}

const titleLength = 80

function openThread(channel: Channel, message: string, text: string): Conversation {
  return { id: formatThread(channel.id, message), kind: 'thread', parent: channel.id, name: formatTitle(text) }
}

/** The first line, as a title of a thread. */
export function formatTitle(text: string): string {
  const [line = ''] = text.trim().split('\n')
  const title = [...line.trim()].slice(0, titleLength).join('')
  return title === '' ? 'Conversation' : title
}

function nameDirect(conversation: Conversation, { name }: Sender): Conversation {
  return conversation.kind === 'dm' && name !== undefined ? { ...conversation, name } : conversation
}

/** Whether a channel is one in which a message can begin a thread. */
export function takesThreads({ type }: Channel): boolean {
  return type === channelTypes.text || type === channelTypes.announcement
}

function readTime(timestamp: string): { readonly sentAt?: number } {
  const sentAt = Date.parse(timestamp)
  return Number.isFinite(sentAt) ? { sentAt } : {}
}

/** The words, without the mention of the bot; other people by name. What was forwarded counts as said. */
function readText({ content, mentions = [], message_snapshots: forwarded = [] }: WireMessage, { account, isOwnRole }: Receiver): string {
  const names = new Map(mentions.map((user) => [user.id, user.global_name ?? user.username]))
  const readable = [content, ...forwarded.map(({ message }) => message.content ?? '')]
    .filter((part) => part !== '')
    .join('\n')
    .replace(/<@!?(\d+)>/g, (sign, id: string) => (id === account ? '' : names.has(id) ? `@${names.get(id)}` : sign))
    .replace(/<@&(\d+)>/g, (sign, id: string) => (isOwnRole(id) ? '' : sign))
    .replace(/<a?(:\w+:)\d+>/g, '$1')
  return readable.replace(/^ +| +$/gm, '').trim()
}

function readSender(user: User, member: Member | undefined, isHook = false): Sender {
  return {
    id: user.id,
    name: member?.nick ?? user.global_name ?? user.username,
    aliases: [user.username],
    ...(member?.roles ? { roles: member.roles } : {}),
    isBot: isHook || user.bot === true,
  }
}

/** The address of a file ends within a day; the message that it came with tells a new one. */
function readMedia({ id, channel_id: channel, attachments = [], flags = 0 }: WireMessage): readonly Attachment[] {
  return attachments.map(({ id: file, filename, size, content_type: mime = 'application/octet-stream' }) => ({
    id: `${channel}/${id}/${file}`,
    kind: (flags & voiceFlag) !== 0 ? 'voice' : readKind(mime),
    mime,
    name: filename,
    bytes: size,
  }))
}

function readKind(mime: string): MediaKind {
  const [family] = mime.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}

/** Who did something with a button or a command, and where; undefined where Discord does not say. */
export function readActor(
  { member, user, channel_id: id, guild_id: guild }: Interaction,
  channel: Channel | undefined,
): { readonly sender: Sender; readonly conversation: Conversation } | undefined {
  const actor = member?.user ?? user
  if (!actor || id === undefined) return undefined
  const sender = readSender(actor, member)
  return { sender, conversation: nameDirect(channel ? describePlace(channel) : describeUnknown(id, guild), sender) }
}

/** A command of the menu, as text. */
export function readCommand(interaction: Interaction, channel: Channel | undefined, account: string): InboundMessage | undefined {
  const actor = readActor(interaction, channel)
  const { name, options = [] } = interaction.data ?? {}
  if (!actor || name === undefined) return undefined
  const args = options.map(({ value = '' }) => String(value).trim()).filter((value) => value !== '')
  return { id: formatCommandId(interaction.id), account, ...actor, text: [`/${name}`, ...args].join(' '), addressed: true }
}

/** A command is no message: it can be neither quoted nor marked. */
const formatCommandId = (interaction: string): string => `command-${interaction}`

/** Whether an id is that of a message of Discord. */
export const isMessageId = (id: string): boolean => /^\d{1,20}$/.test(id)
