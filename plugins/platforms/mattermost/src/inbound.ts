import type { Attachment, InboundMessage, MediaKind } from '@agent/plugin-sdk'
import { describePlace } from './place.ts'
import type { Settings } from './settings.ts'
import type { Channel, Post, User } from './wire.ts'

/** What is the same for every message of a connection. */
export interface Receiver {
  /** The bot itself. */
  readonly self: User
  readonly settings: Pick<Settings, 'autoThread' | 'directAutoThread'>
}

/** Who and where, as far as the server tells. */
export interface About {
  readonly channel: Channel | undefined
  readonly author: User | undefined
}

/** Posts of people and of programs; everything else is news of the server. */
const said = new Set(['', 'me', 'slack_attachment'])

/** What somebody said. Undefined for everything else: ourselves, joins, deleted posts and older forms of edited ones. */
export function readMessage(post: Post, { channel, author }: About, { self, settings }: Receiver): InboundMessage | undefined {
  const { user_id: user, type = '', delete_at: deleted = 0, original_id: original = '', props, root_id: root = '' } = post
  if (user === self.id || !said.has(type) || deleted > 0 || original !== '') return undefined
  const names = findNames(post.message)
  const ownName = self.username.toLowerCase()
  const text = removeName(post.message, ownName)
  const media = readMedia(post)
  if (text === '' && media.length === 0) return undefined
  const mentioned = names.includes(ownName)
  const direct = channel?.type === 'D'
  const begins = root === '' && (direct ? settings.directAutoThread : settings.autoThread && mentioned)
  const thread = begins ? post.id : root
  return {
    id: post.id,
    account: self.id,
    conversation: describePlace({ channel: post.channel_id, ...(thread === '' ? {} : { root: thread }) }, channel),
    sender: {
      id: user,
      ...(author ? { name: author.username, aliases: [author.username] } : {}),
      isBot: author?.is_bot === true || isSet(props?.from_bot) || isSet(props?.from_webhook),
    },
    text,
    addressed: direct || mentioned,
    mentions: { self: mentioned, others: names.some((name) => name !== ownName) },
    ...(media.length > 0 ? { media } : {}),
    sentAt: post.create_at,
  }
}

/** Everybody in a channel, which is nobody else in particular. */
const crowds = new Set(['all', 'channel', 'here'])
const calling = /(?<![\w@./-])@([a-z0-9](?:[\w.-]*\w)?)([,:](?=\s))?/gi

function findNames(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(calling)].map(([, found = '']) => found.toLowerCase()).filter((found) => !crowds.has(found))
}

/** What stands in code calls nobody. */
function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?(```|$)|`[^`\n]*`/g, ' ')
}

/** The words without the bot's name, and without the sign that parts it from them. */
function removeName(text: string, ownName: string): string {
  return text
    .replace(calling, (sign, found: string, part: string | undefined, at: number) => {
      if (found.toLowerCase() !== ownName) return sign
      return text.slice(0, at).trim() === '' ? '' : (part ?? '')
    })
    .replace(/^ +| +$/gm, '')
    .trim()
}

const isSet = (flag: boolean | string | undefined): boolean => flag === true || flag === 'true'

function readMedia({ metadata }: Post): readonly Attachment[] {
  return (metadata?.files ?? []).map(({ id, name: filename, size, mime_type: mime = '' }) => ({
    id,
    kind: readKind(mime),
    mime: mime === '' ? 'application/octet-stream' : mime,
    ...(filename === undefined ? {} : { name: filename }),
    ...(size === undefined ? {} : { bytes: size }),
  }))
}

function readKind(mime: string): MediaKind {
  const [family] = mime.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}
