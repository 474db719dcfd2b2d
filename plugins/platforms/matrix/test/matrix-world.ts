import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import type { Content } from './matrix-answer.ts'
import { type EventLimit, unlimited } from './matrix-limit.ts'
import { type MatrixServer, openMatrixServer } from './matrix-server.ts'
import { ann, bob, bot, type StoredEvent } from './matrix-store.ts'
import { troublesOf } from './troubles.ts'

export const directRoom = '!direct:test'
export const room = '!room:test'

/** A direct room with Ann, and a room with Ann and Bob. */
export async function openPeopledServer(limit?: EventLimit): Promise<MatrixServer> {
  const server = await openMatrixServer(limit)
  server.store.addRoom({ id: directRoom, members: { [bot]: 'Agent', [ann]: 'Ann' } })
  server.store.addRoom({ id: room, name: 'Room', members: { [bot]: 'Agent', [ann]: 'Ann', [bob]: 'Bob' } })
  server.store.add(directRoom, { type: 'm.room.message', sender: ann, content: { msgtype: 'm.text', body: 'long ago' } })
  return server
}

export function say({ store }: MatrixServer, where: string, body: string, more: Content = {}, sender = ann): StoredEvent {
  return store.add(where, { type: 'm.room.message', sender, content: { msgtype: 'm.text', body, 'm.mentions': {}, ...more } })
}

const relation = (content: Content): Content => (content['m.relates_to'] ?? {}) as Content
const events = ({ store }: MatrixServer, where?: string): readonly StoredEvent[] =>
  [...store.rooms.values()].filter(({ id }) => where === undefined || id === where).flatMap((one) => one.events)

export interface Shown {
  readonly id: string
  readonly content: Content
}

/** The messages of the bot in their last form, in one room or in all. */
export function shown(server: MatrixServer, where?: string): readonly Shown[] {
  const ours = events(server, where).filter(({ type, sender }) => type === 'm.room.message' && sender === bot)
  const edits = ours.filter(({ content }) => relation(content).rel_type === 'm.replace')
  return ours
    .filter((event) => !edits.includes(event))
    .map(({ event_id, content }) => {
      const edit = edits.findLast((one) => relation(one.content).event_id === event_id)
      return { id: event_id, content: { ...content, ...((edit?.content['m.new_content'] ?? {}) as Content) } }
    })
}

/** Signs of the bot below a message. */
export function marks(server: MatrixServer, id: string | undefined): readonly string[] {
  const ours = events(server).filter(
    ({ type, sender, content }) => type === 'm.reaction' && sender === bot && relation(content).event_id === id,
  )
  return ours.map(({ content }) => String(relation(content).key))
}

const question = (server: MatrixServer): Shown | undefined => shown(server).findLast(({ content }) => content.msgtype === 'm.text')

/** The choices below the last message of the bot, by their sign. */
export function choices(server: MatrixServer): readonly (readonly [sign: string, label: string])[] {
  const asked = question(server)
  return marks(server, asked?.id).map((sign) => {
    const line = String(asked?.content.body)
      .split('\n')
      .find((one) => one.startsWith(`${sign} `))
    return [sign, line?.slice(sign.length + 1) ?? '']
  })
}

export function react({ store }: MatrixServer, where: string, id: string, key: string, sender = ann): void {
  store.add(where, { type: 'm.reaction', sender, content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: id, key } } })
}

/** Somebody invites the bot into a room in which it is not. */
export function invite({ store }: MatrixServer, id: string, sender: string, { name, ...how }: InviteDetails = {}): void {
  const member = { type: 'm.room.member', sender, state_key: bot, content: { membership: 'invite', is_direct: true, ...how } }
  store.invite(id, sender, [...(name ? [{ type: 'm.room.name', sender, state_key: '', content: { name } }] : []), member])
}

interface InviteDetails {
  readonly name?: string
  readonly is_direct?: boolean
}

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openPeopledServer(unlimited)
  const { store } = server
  const root = say(server, room, 'a thread')
  const config: Config = { auto_thread: true, process_notices: false, invites_from: [] }
  const secretsWith = (token: string, homeserver = server.url) => ({ MATRIX_HOMESERVER: homeserver, MATRIX_ACCESS_TOKEN: token })
  const bodies = (): readonly Shown[] => shown(server).filter(({ content }) => content.msgtype !== 'm.notice')
  const inThread = ({ content }: Shown): boolean =>
    relation(content).rel_type === 'm.thread' && relation(content).event_id === root.event_id
  return {
    config,
    secrets: secretsWith(server.token()),
    account: bot,
    conversation: directRoom,
    refused: { config, secrets: secretsWith('syt_wrong') },
    silent: { config, secrets: secretsWith(server.token(), `${server.url}/silent`) },
    sent: () => bodies().map(({ content }) => String(content.body)),
    receiveOne: async (text) => void say(server, directRoom, text),
    redeliver: async () => {
      const last = store.stream.findLast(({ event }) => event.sender === ann)
      if (last) store.repeat(last.room, last.event)
    },
    receiveInGroup: async (text, toBot) =>
      void say(server, room, toBot ? `Agent: ${text}` : text, { 'm.mentions': toBot ? { user_ids: [bot] } : {} }),
    receiveInThread: async (text) =>
      void say(server, room, text, {
        'm.mentions': { user_ids: [bot] },
        'm.relates_to': {
          rel_type: 'm.thread',
          event_id: root.event_id,
          is_falling_back: true,
          'm.in_reply_to': { event_id: root.event_id },
        },
      }),
    sentInThread: () =>
      bodies()
        .filter(inThread)
        .map(({ content }) => String(content.body)),
    receiveFile: async ({ name, mime, bytes }) => {
      store.media.set('file', { mime, name, bytes })
      say(server, directRoom, name, { msgtype: 'm.image', url: 'mxc://test/file', info: { mimetype: mime, size: bytes.length } })
    },
    files: () => bodies().flatMap(({ content }) => store.media.get(String(content.url).replace('mxc://test/', '')) ?? []),
    press: async (label) => {
      const [sign = ''] = choices(server).find(([, one]) => one === label) ?? []
      react(server, directRoom, question(server)?.id ?? '', sign)
    },
    buttons: () => choices(server).map(([, label]) => label),
    typings: () => store.typings.length,
    isTyping: () => store.typings.at(-1) === true,
    invitedTo: ['!left:test', '!taken:test'],
    invite: (id) => invite(server, id, ann),
    joined: () => [...store.rooms.keys()],
    marks: () =>
      marks(server, store.stream.findLast(({ event }) => event.type === 'm.room.message' && event.sender === ann)?.event.event_id),
    // A server takes an event that says it edits another without a look at that one.
    blindEdits: true,
    disturb: (what) => troublesOf(server).disturb(what),
    cut: async () => server.cut(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
