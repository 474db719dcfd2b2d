import type { Attachment, Conversation, InboundMessage, MediaKind } from '@agent/plugin-sdk'
import { formatPath } from './api.ts'
import type { FileKey } from './encryption/files.ts'
import type { Room } from './rooms.ts'
import type { Session } from './session.ts'
import { parseEvent, parseSaid, type RoomEvent, replies, type Said } from './wire.ts'

const kinds: Readonly<Record<string, MediaKind>> = { 'm.image': 'image', 'm.audio': 'audio', 'm.video': 'video', 'm.file': 'document' }

/** What somebody said in a room. Undefined for everything else: ourselves, edits, what bots note. */
export async function readEvent(room: string, event: RoomEvent, session: Session): Promise<InboundMessage | undefined> {
  const said = parseSaid(event.content)
  const type = event.type === 'm.sticker' ? 'm.sticker' : said?.msgtype
  if (!said || !type || !isSaid(said, type, session) || event.sender === session.user) return undefined
  const place = await session.rooms.describe(room)
  const name = await session.rooms.findName(room, event.sender)
  const replyTo = await readReply(room, said, session)
  const mentions = readMentions(said, session)
  const media = readMedia(said, type)
  const words = media.length > 0 && (said.filename ?? said.body) === said.body ? '' : readText(said, mentions.self ? session : undefined)
  return {
    id: event.event_id,
    account: session.user,
    conversation: readConversation(room, event, said, { ...place, autoThread: session.settings.autoThread }),
    sender: { id: event.sender, ...(name && { name }), isBot: type === 'm.notice' },
    text: type === 'm.emote' ? `* ${name ?? event.sender} ${words}` : words.replace(/^!(?=[a-z][\w-]*(\s|$))/i, '/'),
    addressed: place.direct || mentions.self || replyTo?.sender === session.user,
    mentions,
    ...(replyTo && { replyTo }),
    ...(media.length > 0 && { media }),
    sentAt: event.origin_server_ts,
  }
}

function isSaid(said: Said, type: string, { settings }: Session): boolean {
  const isEdit = said['m.relates_to']?.rel_type === 'm.replace'
  return !isEdit && type !== 'm.key.verification.request' && (type !== 'm.notice' || settings.processNotices)
}

/** Where it was said, and so where it is answered: settled before the first word of an answer, so that both have one session. */
function readConversation(room: string, { event_id }: RoomEvent, said: Said, place: Room & { readonly autoThread: boolean }): Conversation {
  const relation = said['m.relates_to']
  const root = relation?.rel_type === 'm.thread' ? relation.event_id : place.autoThread && !place.direct ? event_id : undefined
  const name = place.name === undefined ? {} : { name: place.name }
  if (root !== undefined) return { id: `${room}/${root}`, kind: 'thread', parent: room, ...name }
  return { id: room, kind: place.direct ? 'dm' : 'group', ...name }
}

/** The message that is answered. In a thread the last one stands there for old clients, and says nothing. */
async function readReply(room: string, said: Said, { api, life, seals }: Session): Promise<InboundMessage['replyTo']> {
  const relation = said['m.relates_to']
  const id = relation?.is_falling_back ? undefined : relation?.['m.in_reply_to']?.event_id
  if (id === undefined) return undefined
  const found = parseEvent(await api.find(replies.any, formatPath('rooms', room, 'event', id), life.signal))
  const event = found?.type === 'm.room.encrypted' ? ((await seals.open(room, found)) ?? found) : found
  const text = parseSaid(event?.content)?.body
  return { id, ...(event && { sender: event.sender }), ...(text !== undefined && { text }) }
}

/** Clients say whom they mean; older ones show it only in the text, as a link to us. */
function readMentions(said: Said, { user }: Session): NonNullable<InboundMessage['mentions']> {
  const { user_ids: named = [] } = said['m.mentions'] ?? {}
  if (said['m.mentions']) return { self: named.includes(user), others: named.some((one) => one !== user) }
  return { self: `${said.body} ${said.formatted_body}`.includes(user), others: false }
}

/** The words without the quotation that old clients put before an answer, and without our name at the edges. */
function readText({ body, 'm.relates_to': relation }: Said, named: Session | undefined): string {
  const quoted = relation?.['m.in_reply_to'] !== undefined && body.startsWith('> ')
  const words = (quoted ? body.replace(/^(> .*\n)+\n?/, '') : body).trim()
  if (!named) return words
  const names = [named.user, named.name, named.user.slice(1).split(':')[0] ?? named.user]
  const [found] = names.flatMap((name) => [name, `@${name}`]).filter((name) => words.toLowerCase().startsWith(name.toLowerCase()))
  const rest = found === undefined ? words : words.slice(found.length)
  return (/^\w/.test(rest) ? words : rest.replace(/^[:,]/, '')).replaceAll(named.user, '').trim()
}

function readMedia(said: Said, type: string): readonly Attachment[] {
  const { file, body, filename, info } = said
  const url = file?.url ?? said.url
  const kind = type === 'm.sticker' ? 'sticker' : said['org.matrix.msc3245.voice'] === undefined ? kinds[type] : 'voice'
  if (!kind || !url?.startsWith('mxc://')) return []
  const { mimetype = 'application/octet-stream', size } = info ?? {}
  return [
    {
      id: file ? `${url}#${formatFileKey(file)}` : url,
      kind,
      mime: mimetype,
      name: filename ?? body,
      ...(size !== undefined && { bytes: size }),
    },
  ]
}

/** The key of an encrypted file goes with the name of the file, so that it can be fetched later. */
function formatFileKey({ key: { k }, iv, hashes: { sha256 } }: NonNullable<Said['file']>): string {
  return Buffer.from(JSON.stringify({ key: k, iv, sha256 } satisfies FileKey)).toString('base64url')
}

export function readFileKey(text: string): FileKey {
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as FileKey
}
