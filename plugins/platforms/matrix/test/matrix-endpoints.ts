import type { Content } from './matrix-answer.ts'
import { type Answer, no, ok } from './matrix-answer.ts'
import { ann, bot, botDevice, type MatrixStore, type StoredEvent, type StoredRoom } from './matrix-store.ts'

export interface Asked {
  readonly method: string
  /** After `/_matrix/`, each part decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly body: Content
}

type Endpoint = (store: MatrixStore, asked: Asked, ...names: string[]) => Answer | Promise<Answer>

/** What the bot may ask the server, with what the server refuses. A star stands for one part of the path. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  'GET client/v3/account/whoami': () => ok({ user_id: bot, device_id: botDevice }),
  'GET client/v3/profile/*': (_store, _asked, user) => (user === bot ? ok({ displayname: 'Agent' }) : no(404, 'M_NOT_FOUND')),
  'GET client/v3/sync': sync,
  'POST client/v3/keys/*': (store, { body }, what = '') =>
    store.keys.answer(bot, botDevice, ['keys', what], body) ?? no(404, 'M_UNRECOGNIZED'),
  'POST client/v3/keys/*/upload': (store, { body }, what = '') =>
    store.keys.answer(bot, botDevice, ['keys', what, 'upload'], body) ?? no(404, 'M_UNRECOGNIZED'),
  'PUT client/v3/sendToDevice/*/*': (store, { body }, type = '') =>
    store.keys.answer(bot, botDevice, ['sendToDevice', type], body) ?? no(404, 'M_UNRECOGNIZED'),
  'GET client/v3/joined_rooms': ({ rooms }) => ok({ joined_rooms: [...rooms.keys()] }),
  'POST client/v3/rooms/*/join': (store, _asked, id = '') => {
    if (!store.invites.delete(id)) return no(403, 'M_FORBIDDEN', 'You are not invited to this room.')
    store.addRoom({ id, members: { [bot]: 'Agent', [ann]: 'Ann' } })
    store.add(id, { type: 'm.room.message', sender: ann, content: { msgtype: 'm.text', body: 'said before you came' } })
    store.add(id, { type: 'm.room.member', sender: bot, state_key: bot, content: { membership: 'join' } })
    return ok({ room_id: id })
  },
  'GET client/v3/rooms/*/state/m.room.name': inRoom((_store, { name }) => (name === undefined ? no(404, 'M_NOT_FOUND') : ok({ name }))),
  'GET client/v3/rooms/*/state/m.room.encryption': inRoom((_store, { events }) => {
    const content = events.findLast(({ type }) => type === 'm.room.encryption')?.content
    return content ? ok(content) : no(404, 'M_NOT_FOUND')
  }),
  'GET client/v3/rooms/*/state/m.room.member/*': inRoom((_store, { members }, _asked, user = '') =>
    members.has(user) ? ok({ membership: 'join', displayname: members.get(user) }) : no(404, 'M_NOT_FOUND'),
  ),
  'GET client/v3/rooms/*/joined_members': inRoom((_store, { members }) =>
    ok({ joined: Object.fromEntries([...members].map(([user, display_name]) => [user, { display_name }])) }),
  ),
  'GET client/v3/rooms/*/event/*': inRoom((_store, { events }, _asked, id) => {
    const found = events.find(({ event_id }) => event_id === id)
    return found ? ok({ ...found }) : no(404, 'M_NOT_FOUND')
  }),
  'GET client/v3/rooms/*/messages': inRoom(messages),
  'GET client/v1/rooms/*/relations/*/m.annotation/m.reaction': inRoom((_store, { events }, _asked, id) =>
    ok({ chunk: events.filter(({ type, content }) => type === 'm.reaction' && relation(content).event_id === id) }),
  ),
  'PUT client/v3/rooms/*/send/*/*': inRoom(send),
  'PUT client/v3/rooms/*/redact/*/*': inRoom((store, room, _asked, id = '') =>
    store.redact(room.id, id) ? ok({ event_id: `$redaction-of-${id}` }) : no(404, 'M_NOT_FOUND'),
  ),
  'PUT client/v3/rooms/*/typing/*': inRoom(({ typings }, _room, { body }, user) => {
    if (user !== bot || typeof body.typing !== 'boolean' || (body.typing && typeof body.timeout !== 'number')) return no(400, 'M_BAD_JSON')
    typings.push(body.typing)
    return ok()
  }),
}

const relation = (content: Content): Readonly<Record<string, unknown>> => (content['m.relates_to'] ?? {}) as Content

function inRoom(answer: (store: MatrixStore, room: StoredRoom, asked: Asked, ...names: string[]) => Answer): Endpoint {
  return (store, asked, id = '', ...names) => {
    const room = store.rooms.get(id)
    return room ? answer(store, room, asked, ...names) : no(403, 'M_FORBIDDEN', `User ${bot} not in room ${id}`)
  }
}

function send(store: MatrixStore, room: StoredRoom, { body }: Asked, type = ''): Answer {
  if (Buffer.byteLength(JSON.stringify(body)) > 65_000) return no(413, 'M_TOO_LARGE', 'event too large')
  const { rel_type, event_id, key } = relation(body)
  if (type === 'm.room.message' && (typeof body.msgtype !== 'string' || typeof body.body !== 'string')) return no(400, 'M_BAD_JSON')
  const isDouble = ({ sender, content }: StoredEvent): boolean =>
    sender === bot && relation(content).event_id === event_id && relation(content).key === key
  if (rel_type === 'm.annotation' && room.events.some(isDouble)) return no(400, 'M_DUPLICATE_ANNOTATION', "Can't send same reaction twice")
  return ok({ event_id: store.add(room.id, { type, sender: bot, content: body }).event_id })
}

/** Positions in the stream are `s` and a number. */
const position = (token: string | null): number =>
  /^[st]\d+(_\d+)?$/.test(token ?? '') ? Number(token?.slice(1).split('_')[0]) : Number.NaN
const keyPosition = (token: string | null): number => Number(token?.split('_')[1] ?? 0)

async function sync(store: MatrixStore, { query }: Asked): Promise<Answer> {
  const since = query.get('since')
  const from = since === null ? 0 : position(since)
  if (!(from <= store.stream.length)) return no(400, 'M_UNKNOWN', 'Invalid stream token')
  const keysFrom = keyPosition(since)
  const news = (): boolean => store.stream.length > from || store.keys.position() > keysFrom
  if (since !== null && !news() && query.get('timeout') !== '0') await store.changed()
  const { timeline } = (JSON.parse(query.get('filter') ?? '{}') as { room?: { timeline?: { limit?: number } } }).room ?? {}
  const limit = timeline?.limit ?? 10
  const join: Record<string, unknown> = {}
  for (const id of store.rooms.keys()) {
    const events = store.stream.map(({ room, event }, at) => ({ room, event, at })).filter(({ room, at }) => room === id && at >= from)
    if (events.length === 0) continue
    const told = events.slice(-limit)
    join[id] = {
      timeline: { events: told.map(({ event }) => event), limited: told.length < events.length, prev_batch: `t${told[0]?.at ?? 0}` },
    }
  }
  const invite = Object.fromEntries(
    [...store.invites].flatMap(([id, { at, events }]) => (at < from ? [] : [[id, { invite_state: { events } }]])),
  )
  const told = store.keys.position()
  const next_batch = told === 0 ? `s${store.stream.length}` : `s${store.stream.length}_${told}`
  return ok({ next_batch, rooms: { join, invite }, ...store.keys.news(bot, botDevice, keysFrom) })
}

/** Backwards from one position to another. */
function messages({ stream }: MatrixStore, { id }: StoredRoom, { query }: Asked): Answer {
  const [from, to, limit] = [position(query.get('from')), position(query.get('to')), Number(query.get('limit'))]
  if (query.get('dir') !== 'b' || Number.isNaN(from + to)) return no(400, 'M_INVALID_PARAM')
  const found = stream.flatMap(({ room, event }, at) => (room === id && at < from && at >= to ? [{ event, at }] : [])).reverse()
  const chunk = found.slice(0, limit)
  return ok({ chunk: chunk.map(({ event }) => event), ...(chunk.length < found.length && { end: `t${chunk.at(-1)?.at}` }) })
}

/** Finds what is asked for and answers it. */
export async function answerAsked(store: MatrixStore, asked: Asked): Promise<Answer> {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const [method, pattern = ''] = name.split(' ')
    const parts = pattern.split('/')
    if (method !== asked.method || parts.length !== asked.path.length) continue
    if (!parts.every((part, index) => part === '*' || part === asked.path[index])) continue
    return await endpoint(store, asked, ...asked.path.filter((_, index) => parts[index] === '*'))
  }
  return no(404, 'M_UNRECOGNIZED', 'Unrecognized request')
}
