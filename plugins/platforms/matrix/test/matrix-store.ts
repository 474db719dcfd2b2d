import type { Content } from './matrix-answer.ts'
import { createKeys, type Keys } from './matrix-keys.ts'

export interface StoredEvent {
  readonly type: string
  readonly event_id: string
  readonly sender: string
  readonly origin_server_ts: number
  readonly state_key?: string
  content: Content
  readonly unsigned?: Content
}

export interface StoredRoom {
  readonly id: string
  readonly name?: string
  /** Names of those who are in it. */
  readonly members: Map<string, string>
  readonly events: StoredEvent[]
}

/** What one homeserver keeps for the account of the bot. */
export interface MatrixStore {
  readonly rooms: Map<string, StoredRoom>
  /** All events in the order in which they are told. */
  readonly stream: { readonly room: string; readonly event: StoredEvent }[]
  /** Rooms into which the bot is invited: what it is told of them, and when. */
  readonly invites: Map<string, { readonly at: number; readonly events: readonly Content[] }>
  readonly keys: Keys
  readonly media: Map<string, { readonly mime: string; readonly name: string; readonly bytes: Uint8Array }>
  /** How often the bot was shown as writing, and as not writing any more. */
  readonly typings: boolean[]
  addRoom(room: Pick<StoredRoom, 'id' | 'name'> & { readonly members: Readonly<Record<string, string>> }): StoredRoom
  /** Somebody invites the bot; it is told once, as everything that happens. */
  invite(room: string, sender: string, events: readonly Content[]): void
  add(room: string, event: Pick<StoredEvent, 'type' | 'sender' | 'content' | 'state_key' | 'unsigned'>): StoredEvent
  /** Tells an event again. */
  repeat(room: string, event: StoredEvent): void
  redact(room: string, id: string): boolean
  /** Resolves when there is something new. */
  changed(): Promise<void>
  /** Lets waiting polls answer that nothing happened. */
  wake(): void
}

export const bot = '@agent:test'
export const botDevice = 'DEVICE'
export const ann = '@ann:test'
export const bob = '@bob:test'

export function createStore(): MatrixStore {
  const rooms = new Map<string, StoredRoom>()
  const stream: { room: string; event: StoredEvent }[] = []
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const all = waiting
    waiting = []
    for (const go of all) go()
  }
  const repeat: MatrixStore['repeat'] = (room, event) => {
    stream.push({ room, event })
    wake()
  }
  const add: MatrixStore['add'] = (room, event) => {
    const stored = { ...event, event_id: `$event-${stream.length + 1}`, origin_server_ts: 1_700_000_000_000 + stream.length }
    rooms.get(room)?.events.push(stored)
    repeat(room, stored)
    return stored
  }
  const invites: MatrixStore['invites'] = new Map()
  return {
    rooms,
    stream,
    invites,
    invite: (room, sender, events) => {
      invites.set(room, { at: stream.length, events })
      add(room, { type: 'm.room.member', sender, state_key: bot, content: { membership: 'invite' } })
    },
    keys: createKeys(wake),
    media: new Map(),
    typings: [],
    addRoom: ({ members, ...about }) => {
      const room = { ...about, members: new Map(Object.entries(members)), events: [] }
      rooms.set(about.id, room)
      return room
    },
    add,
    repeat,
    redact: (room, id) => {
      const event = rooms.get(room)?.events.find(({ event_id }) => event_id === id)
      if (event) event.content = {}
      return event !== undefined
    },
    changed: () => new Promise((resolve) => waiting.push(resolve)),
    wake,
  }
}
