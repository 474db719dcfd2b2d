import { type Api, formatPath } from './api.ts'
import { replies } from './wire.ts'

export interface Room {
  readonly direct: boolean
  readonly name: string | undefined
}

/** What is known of rooms and of people in them; each thing is asked for once, until the room changes. */
export interface Rooms {
  describe(room: string): Promise<Room>
  findName(room: string, user: string): Promise<string | undefined>
  /** Those who are in it. */
  members(room: string): Promise<readonly string[]>
  isEncrypted(room: string): Promise<boolean>
  forget(room: string): void
}

const mostRooms = 1000

export function createRooms(api: Api, signal: AbortSignal): Rooms {
  const known = new Map<string, Map<string, Promise<unknown>>>()
  const remember = <T>(room: string, what: string, load: () => Promise<T>): Promise<T> => {
    if (known.size > mostRooms) known.clear()
    const facts = known.get(room) ?? new Map<string, Promise<unknown>>()
    known.set(room, facts)
    const loading = (facts.get(what) as Promise<T> | undefined) ?? load()
    facts.set(what, loading)
    loading.catch(() => facts.delete(what))
    return loading
  }
  return {
    // A room without a name in which two are is a direct one: that is how clients open them.
    describe: (room) =>
      remember(room, '', async () => {
        const name = (await api.find(replies.name, formatPath('rooms', room, 'state', 'm.room.name'), signal))?.name || undefined
        const members = name === undefined && (await api.find(replies.members, formatPath('rooms', room, 'joined_members'), signal))
        return { name, direct: members ? Object.keys(members.joined).length <= 2 : false }
      }),
    findName: (room, user) =>
      remember(room, user, async () => {
        const member = await api.find(replies.profile, formatPath('rooms', room, 'state', 'm.room.member', user), signal)
        return member?.displayname || undefined
      }),
    members: (room) =>
      remember(room, 'members', async () => {
        const { joined } = await api.ask(replies.members, formatPath('rooms', room, 'joined_members'), { signal })
        return Object.keys(joined)
      }),
    isEncrypted: (room) =>
      remember(room, 'encrypted', async () => {
        const found = await api.find(replies.any, formatPath('rooms', room, 'state', 'm.room.encryption'), signal)
        return found !== undefined
      }),
    forget: (room) => void known.delete(room),
  }
}
