import { withTimeLimit } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { formatPath } from './api.ts'
import { createLate } from './late.ts'
import type { Session } from './session.ts'
import { parseEvent, parseStripped, type RoomEvent, replies, type Sync, type Timeline } from './wire.ts'

/** Deals with one event of a room; what it rejects comes again with the next connection. */
type Read = (room: string, event: RoomEvent) => Promise<void>

/** The server answers after this time though nothing happened; a little later it is not there any more. */
const pollMs = 30_000
const graceMs = 30_000
const pages = 10
const nothing = { types: [] }
const encryption = 'm.room.encryption'
/** At most so many messages of each room. */
const formatFilter = (limit: number): string =>
  JSON.stringify({
    presence: nothing,
    account_data: nothing,
    room: { timeline: { limit }, state: { types: [encryption] }, ephemeral: nothing },
  })

/** Follows what happens in the rooms from where the last connection ended. The first one ever begins now. */
export async function openSync(session: Session, read: Read): Promise<void> {
  const { context, user, life, seals } = session
  const late = createLate(session)
  const key = `since:${user}`
  const stored = await context.state.get(key)
  let since = typeof stored === 'string' ? stored : undefined
  const readSealed: Read = async (room, event) => {
    const plain = event.type === 'm.room.encrypted' ? await late.open(room, event) : event
    if (plain) await read(room, plain)
  }
  const step = async (timeoutMs: number): Promise<void> => {
    const known = since
    const reply = await poll(session, known, timeoutMs)
    life.hear()
    await seals.receive(reply)
    await late.retry(read)
    await acceptInvites(session, reply)
    await meetEncryption(session, reply)
    if (known !== undefined) await readRooms(session, reply, known, readSealed)
    since = reply.next_batch
    await context.state.set(key, since)
  }
  const follow = async (): Promise<void> => {
    while (!life.signal.aborted) await step(pollMs)
  }
  await seals.meet()
  if (since === undefined) await step(0)
  follow().catch(async (error: unknown) => {
    // A place in the stream that the server does not know any more leads nowhere: the next connection begins again.
    if (isAgentError(error, 'SEND_REFUSED')) await context.state.delete(key)
    life.end(error)
  })
}

async function poll({ api, context: { clock }, life: { signal } }: Session, since: string | undefined, timeoutMs: number): Promise<Sync> {
  const from = since === undefined ? { filter: formatFilter(1) } : { filter: formatFilter(50), since }
  const query = new URLSearchParams({ ...from, timeout: `${timeoutMs}` })
  const bounds = { clock, signal, ms: timeoutMs + graceMs, what: 'the answer of the server' }
  return await withTimeLimit(bounds, (bounded) => api.ask(replies.sync, `${formatPath('sync')}?${query}`, { signal: bounded }))
}

/** Joins where the host says so, and where the settings name who invites. */
async function acceptInvites({ api, settings, context, user, seals, life: { signal } }: Session, { rooms }: Sync): Promise<void> {
  for (const [room, { invite_state }] of Object.entries(rooms?.invite ?? {})) {
    const states = (invite_state?.events ?? []).map(parseStripped)
    const { sender: from, content } = states.find((one) => one?.type === 'm.room.member' && one.state_key === user) ?? {}
    if (from === undefined) continue
    const name = states.find((one) => one?.type === 'm.room.name')?.content.name
    const conversation = { id: room, kind: content?.is_direct ? ('dm' as const) : ('group' as const), ...(name && { name }) }
    const isNamed = settings.invitesFrom.has('*') || settings.invitesFrom.has(from)
    if (!isNamed && (await context.invited({ account: user, conversation, sender: { id: from, isBot: false } })) !== 'join') continue
    context.log.info('joins a room', { room, from })
    // Before we come in: who is there writes at once, and for the devices that there are.
    if (states.some((one) => one?.type === encryption)) await seals.meet(room)
    await api.ask(replies.any, formatPath('rooms', room, 'join'), { method: 'POST', body: {}, signal }).catch((error: unknown) => {
      if (!isAgentError(error, 'SEND_REFUSED')) throw error
      context.log.warn('a room cannot be joined', { room, reason: String(error) })
    })
  }
}

/** Rooms that are or become encrypted. */
async function meetEncryption({ seals, rooms }: Session, reply: Sync): Promise<void> {
  for (const [room, { state, timeline }] of Object.entries(reply.rooms?.join ?? {})) {
    const events = parseEvents([...(state?.events ?? []), ...(timeline?.events ?? [])])
    if (!events.some(({ type }) => type === encryption)) continue
    rooms.forget(room)
    await seals.meet(room)
  }
}

async function readRooms(session: Session, { rooms }: Sync, since: string, read: Read): Promise<void> {
  for (const [room, { timeline }] of Object.entries(rooms?.join ?? {})) {
    for (const event of timeline ? await findNew(session, room, timeline, since) : []) {
      if (event.type === 'm.room.name' || event.type === 'm.room.member') session.rooms.forget(room)
      await read(room, event)
    }
  }
}

/** What was said since, and not before we came. */
async function findNew(session: Session, room: string, timeline: Timeline, since: string): Promise<readonly RoomEvent[]> {
  const { events, limited, prev_batch } = timeline
  const told = parseEvents(events)
  const entry = told.findLastIndex((event) => isEntry(event, session.user))
  if (entry >= 0 || !limited || prev_batch === undefined) return told.slice(entry + 1)
  return [...(await loadMissed(session, room, prev_batch, since)), ...told]
}

const parseEvents = (values: readonly unknown[]): readonly RoomEvent[] => values.flatMap((value) => parseEvent(value) ?? [])

const isEntry = ({ type, state_key, content, unsigned }: RoomEvent, user: string): boolean =>
  type === 'm.room.member' && state_key === user && content.membership === 'join' && unsigned?.prev_content?.membership !== 'join'

/** What does not fit into one answer, oldest first. */
async function loadMissed({ api, life, context }: Session, room: string, from: string, to: string): Promise<readonly RoomEvent[]> {
  const load = (path: string) => api.find(replies.messages, path, life.signal)
  const missed: RoomEvent[] = []
  let at: string | undefined = from
  for (let page = 0; page < pages && at !== undefined; page += 1) {
    const query = new URLSearchParams({ dir: 'b', from: at, to, limit: '100' })
    const { chunk, end } = (await load(`${formatPath('rooms', room, 'messages')}?${query}`)) ?? { chunk: [], end: undefined }
    missed.unshift(...parseEvents(chunk).toReversed())
    at = chunk.length > 0 ? end : undefined
  }
  if (at !== undefined) context.log.warn('too much was said while the agent was away; the oldest of it is left out', { room })
  return missed
}
