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
  /** Ids of the notifiers that have heard it already. */
  readonly heardBy?: readonly string[]
  readonly attempts?: number
  readonly retryAt?: number
}

export interface EventRows {
  /** What is there already is left as it is. */
  add(event: EventRow): Promise<void>
  /** The oldest first. */
  list(): Promise<readonly EventRow[]>
  count(): Promise<number>
  change(event: EventRow): Promise<void>
  remove(event: EventRow): Promise<void>
}

// A dot stands in no plugin's id, so no plugin has this space.
const space = 'host.events'

const keyOf = ({ at, id }: EventRow): string => `${String(at).padStart(15, '0')}-${id}`

/** Events that wait for a notifier, on disk. */
export function openEventRows(kv: Kv): EventRows {
  return {
    add: async (event) => {
      if ((await kv.get(space, keyOf(event))) === undefined) await kv.set(space, keyOf(event), event)
    },
    list: async () => {
      const rows = await Promise.all((await kv.keys(space)).map((key) => kv.get(space, key)))
      return rows.filter((row) => row !== undefined) as unknown as readonly EventRow[]
    },
    count: async () => (await kv.keys(space)).length,
    change: (event) => kv.set(space, keyOf(event), event),
    remove: (event) => kv.delete(space, keyOf(event)),
  }
}
