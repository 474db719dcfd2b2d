import type { Attachment, Conversation, InboundMessage, MediaKind, Sender } from '@agent/plugin-sdk'
import { findMembers, readText } from './markup.ts'
import type { Callback, Said, SlackFile, Slash } from './wire.ts'
import type { App, Workspace } from './workspaces.ts'

/** Kinds of message that somebody has said; the others tell of edits, joins and such. */
const spoken = new Set([undefined, 'file_share', 'thread_broadcast', 'bot_message', 'me_message'])
const mostNames = 10

/** What somebody said. Undefined for everything else: ourselves, edits, what Slack tells. `message` and `app_mention` of one text give one id. */
export async function readSaid({ team_id, authorizations, event }: Callback, app: App): Promise<InboundMessage | undefined> {
  const teams = [team_id, ...(authorizations ?? []).map((one) => one.team_id ?? '')]
  const workspace = teams.map(app.find).find((one) => one !== undefined)
  const from = event.user ?? event.bot_id
  if (!from || event.hidden || !spoken.has(event.subtype) || isOwn(event, workspace)) return undefined
  const account = workspace?.team ?? team_id
  app.learn(event.channel, account)
  const names = await loadNames(event, workspace)
  const text = readText(event.text ?? '', workspace?.user ?? '', names)
  const media = (event.files ?? []).map((file) => readFile(file, account))
  const address = readAddress(event, workspace)
  if (text === '' && media.length === 0 && !address.addressed) return undefined
  return {
    id: `${account}:${event.channel}:${event.ts}`,
    account,
    conversation: readConversation(event, app.settings.reply_in_thread),
    sender: readSender(event, from, names),
    text: event.thread_ts === undefined ? text : readAlias(text),
    ...address,
    ...(media.length > 0 && { media }),
    sentAt: Math.round(Number(event.ts) * 1000),
  }
}

/** A command of Slack's own menu, as the text that it stands for. `/agent stop` is `/stop`, for names that Slack keeps for itself. */
export function readSlash(slash: Slash, app: App): InboundMessage {
  const { channel_id: channel, team_id: account, channel_name: name, user_name } = slash
  app.learn(channel, account)
  const place: Conversation = channel.startsWith('D')
    ? { id: channel, kind: 'dm' }
    : { id: channel, kind: name?.startsWith('mpdm-') ? 'group' : 'channel', ...(name && { name }) }
  return {
    id: `${account}:${channel}:${slash.trigger_id}`,
    account,
    conversation: place,
    sender: { id: slash.user_id, ...(user_name && { name: user_name }), isBot: false },
    text: `${slash.command} ${slash.text ?? ''}`.trim().replace(/^\/agent\s+\/?/, '/'),
    addressed: app.find(account) !== undefined,
  }
}

/** Slack's own commands do not work in threads: `!stop` stands for `/stop` there. */
function readAlias(text: string): string {
  return /^![a-z][\w-]*(\s|$)/i.test(text) ? `/${text.slice(1)}` : text
}

function isOwn({ user, bot_id }: Said, workspace: Workspace | undefined): boolean {
  return workspace !== undefined && (user === workspace.user || (Boolean(bot_id) && bot_id === workspace.bot))
}

const isDirect = ({ channel, channel_type }: Said): boolean => channel_type === 'im' || channel.startsWith('D')

/** While we do not know who we are nothing counts as said to us. */
function readAddress(event: Said, workspace: Workspace | undefined): Pick<InboundMessage, 'addressed' | 'mentions'> {
  const members = findMembers(event.text ?? '')
  const self = workspace !== undefined && (event.type === 'app_mention' || members.includes(workspace.user))
  const addressed = self || (workspace !== undefined && (isDirect(event) || event.parent_user_id === workspace.user))
  return { addressed, mentions: { self, others: members.some((id) => id !== workspace?.user) } }
}

/** Where it was said, and so where it is answered: settled before the first word of an answer, so that both have one session. */
function readConversation(event: Said, replyInThread: boolean): Conversation {
  const { channel, ts, thread_ts, channel_type } = event
  const thread = thread_ts ?? (replyInThread && !isDirect(event) ? ts : undefined)
  if (thread !== undefined) return { id: `${channel}/${thread}`, kind: 'thread', parent: channel }
  if (isDirect(event)) return { id: channel, kind: 'dm' }
  return { id: channel, kind: channel_type === 'mpim' ? 'group' : 'channel' }
}

function readSender({ user, bot_id, username, bot_profile, subtype }: Said, id: string, names: ReadonlyMap<string, string>): Sender {
  const name = names.get(id) ?? bot_profile?.name ?? username
  return { id, ...(name && { name }), isBot: Boolean(bot_id) || subtype === 'bot_message' || user === 'USLACKBOT' }
}

async function loadNames({ text, user }: Said, workspace: Workspace | undefined): Promise<ReadonlyMap<string, string>> {
  const others = findMembers(text ?? '').filter((id) => id !== workspace?.user)
  const ids = [...(user ? [user] : []), ...others].slice(0, mostNames)
  const found = await Promise.all(ids.map(async (id) => [id, await workspace?.findName(id)] as const))
  return new Map(found.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])))
}

function readFile({ id, name, mimetype, size, subtype }: SlackFile, account: string): Attachment {
  const mime = mimetype || 'application/octet-stream'
  const about = { ...(name && { name }), ...(typeof size === 'number' && { bytes: size }) }
  return { id: `${account}/${id}`, kind: subtype === 'slack_audio' ? 'voice' : readKind(mime), mime, ...about }
}

function readKind(mime: string): MediaKind {
  const [family] = mime.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}
