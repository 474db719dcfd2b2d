import { type Answer, type Bot, channels, type Posted, people, type SlackBlock, type SlackStore } from './slack-store.ts'

export type Values = Readonly<Record<string, string | undefined>>
type Method = (store: SlackStore, values: Values, bot: Bot) => Answer

export const ok = (more: Answer = {}): Answer => ({ ok: true, ...more })
export const no = (error: string): Answer => ({ ok: false, error })
const parse = <T>(text: string | undefined): T | undefined => (text === undefined ? undefined : (JSON.parse(text) as T))

const find = ({ messages }: SlackStore, { channel, ts, timestamp }: Values): Posted | undefined =>
  messages.find((one) => one.channel === channel && one.ts === (ts ?? timestamp))

/** The methods of the Web API that take a bot token, with what they refuse. */
export const methods: Readonly<Record<string, Method>> = {
  'auth.test': (_store, _values, { team, user, bot }) =>
    ok({ team_id: team, user_id: user, bot_id: bot, user: 'agent', team: `Team ${team}` }),
  'users.info': (_store, { user = '' }) => {
    const display_name = people[user]
    return display_name === undefined
      ? no('user_not_found')
      : ok({ user: { id: user, name: user.toLowerCase(), profile: { display_name } } })
  },
  'users.conversations': () => {
    const own = Object.entries(channels).flatMap(([id, { member, ...about }]) => (member ? [{ id, ...about }] : []))
    return ok({ channels: own, response_metadata: { next_cursor: '' } })
  },
  'conversations.open': (_store, { users = '' }) => {
    return people[users] === undefined ? no('user_not_found') : ok({ channel: { id: users.replace('U', 'D') } })
  },
  'conversations.history': (store, values) => readPlace(values.channel) ?? list(store, values),
  'conversations.replies': (store, values) => (find(store, values) ? list(store, values) : no('thread_not_found')),
  'chat.postMessage': postMessage,
  'chat.update': update,
  'chat.delete': (store, values, { user }) => {
    const old = find(store, values)
    if (!old) return no('message_not_found')
    if (old.user !== user) return no('cant_delete_message')
    store.messages.splice(store.messages.indexOf(old), 1)
    return ok({ channel: old.channel, ts: old.ts })
  },
  'chat.postEphemeral': ({ ephemeral }, { user = '', text = '' }) => {
    ephemeral.push({ user, text })
    return ok({ message_ts: '1700000000.000200' })
  },
  'reactions.add': (store, values) =>
    react(store, values, (marks, name) => !marks.has(name) && Boolean(marks.add(name)), 'already_reacted'),
  'reactions.remove': (store, values) => react(store, values, (marks, name) => marks.delete(name), 'no_reaction'),
  'assistant.threads.setStatus': (store, { channel_id: channel, thread_ts: ts, status }) => {
    if (!ts || !find(store, { channel, ts })) return no('invalid_thread_ts')
    if (status === undefined) return no('invalid_arguments')
    store.statuses.push(status)
    return ok()
  },
  'files.getUploadURLExternal': ({ keepFile, url }, { filename: name, length }) => {
    if (!name || !(Number(length) > 0)) return no('invalid_arguments')
    const id = keepFile({ name, mime: '', bytes: new Uint8Array(Number(length)), state: 'expected' })
    return ok({ file_id: id, upload_url: `${url()}/upload/${id}` })
  },
  'files.completeUploadExternal': completeUpload,
  'files.info': ({ files, url }, { file = '' }) => {
    const found = files.get(file)
    return found ? ok({ file: { id: file, url_private_download: found.elsewhere ?? `${url()}/files/${file}` } }) : no('file_not_found')
  },
}

function postMessage({ keep }: SlackStore, values: Values, { user, bot }: Bot): Answer {
  const { channel = '', thread_ts, text = '' } = values
  const problem = readPlace(channel) ?? readContent(values)
  if (problem) return problem
  const blocks = parse<readonly SlackBlock[]>(values.blocks)
  const metadata = parse<unknown>(values.metadata)
  const { ts } = keep({ channel, user, bot_id: bot, text, metadata, ...(blocks && { blocks }), ...(thread_ts && { thread_ts }) })
  return ok({ channel, ts })
}

function update(store: SlackStore, values: Values, { user }: Bot): Answer {
  const old = find(store, values)
  if (!old) return no('message_not_found')
  if (old.user !== user) return no('cant_update_message')
  // What is posted may have 40,000 characters; what is changed has less room, counted as it is kept.
  const problem = Buffer.byteLength(values.text ?? '') > 4000 ? no('msg_too_long') : readContent(values)
  if (problem) return problem
  old.text = values.text ?? old.text
  // What is not given stays as it is.
  old.blocks = parse<readonly SlackBlock[]>(values.blocks) ?? old.blocks ?? []
  return ok({ channel: old.channel, ts: old.ts })
}

function react(store: SlackStore, values: Values, change: (marks: Set<string>, name: string) => boolean, error: string): Answer {
  const marks = find(store, values)?.reactions
  if (!marks) return no('message_not_found')
  if (!/^[a-z0-9_+-]+$/.test(values.name ?? '')) return no('invalid_name')
  return change(marks, values.name ?? '') ? ok() : no(error)
}

function completeUpload({ files, keep }: SlackStore, values: Values, { user, bot }: Bot): Answer {
  const { channel_id: channel = '', thread_ts, initial_comment: text = '' } = values
  const ids = (parse<readonly { id: string }[]>(values.files) ?? []).map(({ id }) => ({ id }))
  if (!/^[CGDZ]/.test(channel) || ids.length === 0) return no('invalid_arguments')
  const problem = readPlace(channel)
  if (problem) return problem
  for (const { id } of ids) {
    const file = files.get(id)
    if (file?.state !== 'uploaded') return no('file_not_found')
    file.state = 'shared'
  }
  keep({ channel, user, bot_id: bot, text, files: ids, ...(thread_ts && { thread_ts }) })
  return ok({ files: ids })
}

/** The newest first in a channel, the oldest first in a thread; metadata only where it is asked for. */
function list({ messages }: SlackStore, { channel, ts, cursor = '0', limit = '100', include_all_metadata }: Values): Answer {
  const inThread = ts !== undefined
  const said = messages.filter((one) => one.channel === channel && (inThread ? one.thread_ts === ts || one.ts === ts : !one.thread_ts))
  const rest = (inThread ? said : said.reverse()).slice(Number(cursor))
  const page = rest.slice(0, Number(limit)).map(({ reactions: _, metadata, ...one }) => (include_all_metadata ? { ...one, metadata } : one))
  const next = rest.length > page.length ? String(Number(cursor) + page.length) : ''
  return ok({ messages: page, has_more: next !== '', response_metadata: { next_cursor: next } })
}

function readPlace(channel = ''): Answer | undefined {
  const place = channels[channel]
  if (!place) return no('channel_not_found')
  return place.member ? undefined : no('not_in_channel')
}

function readContent({ text = '', blocks, metadata }: Values): Answer | undefined {
  const rows = parse<readonly SlackBlock[]>(blocks) ?? []
  if (text === '' && rows.length === 0) return no('no_text')
  if (text.length > 40_000) return no('msg_too_long')
  if (rows.some((row) => row.type === 'section' && (row.text?.text.length ?? 0) > 3000)) return no('invalid_blocks')
  const labels = rows.filter(({ type }) => type === 'actions').flatMap(({ elements = [] }) => elements.map((one) => one.text))
  if (labels.some((label) => typeof label !== 'object' || label.text.length > 75)) return no('invalid_blocks')
  const about = parse<{ event_type?: string; event_payload?: object }>(metadata)
  return about && !(about.event_type && about.event_payload) ? no('invalid_metadata_format') : undefined
}
