import type { State, Wire } from '@agent/plugin-sdk'
import { openMachine } from '../src/encryption/machine.ts'
import type { Content } from './matrix-answer.ts'
import type { MatrixServer } from './matrix-server.ts'
import type { StoredEvent } from './matrix-store.ts'

/** A device of somebody else, with the real cryptography. */
export interface Person extends AsyncDisposable {
  readonly user: string
  say(room: string, body: string, more?: Content): Promise<StoredEvent>
  /** What others said in the room, as far as this device can read it; what it cannot read is undefined. */
  read(room: string): Promise<readonly (Content | undefined)[]>
}

export async function openPerson({ store }: MatrixServer, user: string, device: string): Promise<Person> {
  const kept = new Map<string, Wire>()
  const state: State = {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  }
  const machine = await openMachine({
    ...{ state, user, device, log: { warn: () => undefined } },
    members: async (room) => [...(store.rooms.get(room)?.members.keys() ?? [])],
    ask: async (_method, path, body) => {
      const { status, body: reply } = store.keys.answer(user, device, path, body as Content) ?? { status: 404, body: {} }
      if (status !== 200) throw new Error(`${path.join('/')}: ${JSON.stringify(reply)}`)
      return JSON.stringify(reply)
    },
  })
  if (!machine) throw new Error(`${user} has a device ${device} already`)
  let from = 0
  const hear = async (): Promise<void> => {
    const news = store.keys.news(user, device, from) as { to_device: { events: Content[] }; device_lists: { changed: string[] } }
    from = store.keys.position()
    const counts = { signed_curve25519: store.keys.left(user, device) }
    await machine.receive({ events: news.to_device.events, changed: news.device_lists.changed, left: [], counts, fallbacks: undefined })
  }
  return {
    user,
    say: async (room, body, more = {}) => {
      await hear()
      const content = await machine.encrypt(room, 'm.room.message', { msgtype: 'm.text', body, 'm.mentions': {}, ...more })
      return store.add(room, { type: 'm.room.encrypted', sender: user, content })
    },
    read: async (room) => {
      await hear()
      const events = store.rooms.get(room)?.events.filter(({ type, sender }) => type === 'm.room.encrypted' && sender !== user) ?? []
      const read: (Content | undefined)[] = []
      for (const event of events) read.push((await machine.decrypt(room, event))?.content)
      return read
    },
    [Symbol.asyncDispose]: () => machine.close(),
  }
}

/** A room becomes encrypted. */
export function encryptRoom({ store }: MatrixServer, room: string, sender: string): void {
  store.add(room, { type: 'm.room.encryption', sender, state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } })
}
