import type { Wire } from '@agent/plugin-sdk'
import type { Kv } from '#store/kv.ts'

/** Something that has happened and is still to be heard. A type, because only types are kept as plain data. */
export type EventRow = {
  /** The same whenever it is heard again. */
  readonly id: string
  readonly name: string
  readonly at: number
  readonly data: Wire
  /** Only notifiers of this plugin hear it; absent: the host has raised it, and all may. */
  readonly plugin?: string
  /** The session that it is about, or the key of one; absent where it comes from no conversation. */
  readonly session?: string
  readonly origin?: string
  /** It is news only while this question waits for its answer. */
  readonly question?: string
  /** Ids of the notifiers that have heard it already. */
  readonly heardBy?: readonly string[]
  /** Hearings that have begun. */
  readonly attempts?: number
  readonly retryAt?: number
}

export interface EventRows {
  /** What is there already is left as it is. False where too many of its plugin wait. */
  add(event: EventRow): Promise<boolean>
  /** The oldest first. */
  keys(): Promise<readonly string[]>
  read(key: string): Promise<EventRow | undefined>
  change(event: EventRow): Promise<void>
  remove(event: EventRow): Promise<void>
}

// A dot stands in no plugin's id, so no plugin has this space.
const space = 'host.events'
/** While no gateway runs, events wait; more than these of a plugin, or of the host, are of no use to anybody. */
const mostWaiting = 1000

const ownerOf = ({ plugin = '' }: EventRow): string => `/${plugin}/`
export const eventKeyOf = (event: EventRow): string => `${String(event.at).padStart(15, '0')}${ownerOf(event)}${event.id}`

/** Events that wait for a notifier, on disk. */
export function openEventRows(kv: Kv): EventRows {
  return {
    add: async (event) => {
      const key = eventKeyOf(event)
      const [owner, keys] = [ownerOf(event), await kv.keys(space)]
      if (keys.includes(key)) return true
      if (keys.filter((each) => each.includes(owner)).length >= mostWaiting) return false
      await kv.set(space, key, event)
      return true
    },
    keys: () => kv.keys(space),
    read: async (key) => (await kv.get(space, key)) as EventRow | undefined,
    change: (event) => kv.set(space, eventKeyOf(event), event),
    remove: (event) => kv.delete(space, eventKeyOf(event)),
  }
}
