import type { Attachment, Conversation, InboundMessage, Sender } from '@agent/plugin-sdk'
import { describePlace, formatThread } from './place.ts'
import type { Channel, Interaction, Member, User, WireMessage } from './wire.ts'

/** What is the same for every message of a connection. */
export interface Receiver {
  /** The bot's own id. */
  readonly account: string
  isOwnRole(id: string): boolean
  /** Whether a mention in this channel is answered in a separate thread. */
  opensThread(channel: Channel): boolean
}

const [plain, reply] = [0, 19]
const voiceFlag = 1 << 13

/** What somebody said. Undefined for everything else: ourselves, joins, pins, an empty message. */
export function readMessage(message: WireMessage, channel: Channel | undefined, receiver: Receiver): InboundMessage | undefined {
  const { author, type, mentions = [], mention_roles: roles = [], referenced_message: quoted } = message
  const { account } = receiver
  if (author.id === account || (type !== plain && type !== reply)) return undefined
  const text = readText(message, receiver)
  const media = readMedia(message)
  if (text === '' && media.length === 0) return undefined
  const self = mentions.some(({ id }) => id === account) || roles.some((id) => receiver.isOwnRole(id))
  const sender = readSender(author, message.member, message.webhook_id !== undefined)
  const conversation = describe(channel, message, sender)
  const begins = self && type === plain && channel !== undefined && receiver.opensThread(channel) && !text.startsWith('/')
  return {
    id: message.id,
    account,
    conversation: begins ? openThread(channel, message.id, text) : conversation,
    sender,
    text,
    addressed: self || conversation.kind === 'dm' || quoted?.author.id === account,
    mentions: { self, others: mentions.some(({ id }) => id !== account && id !== quoted?.author.id) },
    ...(quoted ? { replyTo: { id: quoted.id, text: quoted.content, sender: quoted.author.id } } : {}),
    ...(media.length > 0 ? { media } : {}),
    ...(Number.isNaN(Date.parse(message.timestamp)) ? {} : { sentAt: Date.parse(message.timestamp) }),
  }
}

/** Discord gives a thread the id of the message that it begins with, so it is known before there is a thread. */
function openThread({ id }: Channel, message: string, text: string): Conversation {
  return { id: formatThread(id, message), kind: 'thread', parent: id, name: formatTitle(text) }
}

/** The first line, as a title of a thread. */
export function formatTitle(text: string): string {
  return [...(text.trim().split('\n', 1)[0] ?? '').trimEnd()].slice(0, 80).join('') || 'Conversation'
}

type Said = Pick<Interaction, 'channel_id' | 'guild_id'>
function describe(channel: Channel | undefined, { channel_id: id = '', guild_id: guild }: Said, { name = '' }: Sender): Conversation {
  const conversation = channel ? describePlace(channel) : ({ id, kind: guild === undefined ? 'dm' : 'channel' } as const)
  return conversation.kind === 'dm' ? { ...conversation, name } : conversation
}

/** The words, without the mention of the bot; other people by name. What was forwarded counts as said. */
function readText({ content, mentions = [], message_snapshots: forwarded = [] }: WireMessage, { account, isOwnRole }: Receiver): string {
  const names = new Map(mentions.map((user) => [user.id, `@${user.global_name ?? user.username}`]))
  return [content, ...forwarded.map(({ message }) => message.content ?? '')]
    .filter((part) => part !== '')
    .join('\n')
    .replace(/<@!?(\d+)>/g, (sign, id: string) => (id === account ? '' : (names.get(id) ?? sign)))
    .replace(/<@&(\d+)>/g, (sign, id: string) => (isOwnRole(id) ? '' : sign))
    .replace(/<a?(:\w+:)\d+>/g, '$1')
    .replace(/^ +| +$/gm, '')
    .trim()
}

function readSender({ id, username, global_name: shown, bot }: User, { nick, roles }: Member = {}, isHook = false): Sender {
  return { id, name: nick ?? shown ?? username, aliases: [username], ...(roles ? { roles } : {}), isBot: isHook || bot === true }
}

/** The address of a file ends within a day; the message that it came with tells a new one. */
function readMedia({ id, channel_id: channel, attachments = [], flags = 0 }: WireMessage): readonly Attachment[] {
  return attachments.map(({ id: file, filename: name, size: bytes, content_type: mime = 'application/octet-stream' }) => {
    const [, family = 'document'] = /^(image|audio|video)\//.exec(mime) ?? []
    const kind = (flags & voiceFlag) === 0 ? (family as Attachment['kind']) : 'voice'
    return { id: `${channel}/${id}/${file}`, kind, mime, name, bytes }
  })
}

/** Who did something with a button or a command, and where; undefined where Discord does not say. */
export function readActor(
  interaction: Interaction,
  channel: Channel | undefined,
): Pick<InboundMessage, 'sender' | 'conversation'> | undefined {
  const { member, user = member?.user, channel_id: id } = interaction
  if (!user || id === undefined) return undefined
  const sender = readSender(user, member)
  return { sender, conversation: describe(channel, interaction, sender) }
}

/** A command of the menu, as text. It is no message: it can be neither quoted nor marked. */
export function readCommand(interaction: Interaction, channel: Channel | undefined, account: string): InboundMessage | undefined {
  const actor = readActor(interaction, channel)
  const { name, options = [] } = interaction.data ?? {}
  if (!actor || name === undefined) return undefined
  const text = [`/${name}`, ...options.map(({ value = '' }) => String(value).trim())].join(' ').trim()
  return { id: `command-${interaction.id}`, account, ...actor, text, addressed: true }
}
