import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

/** How many turns may run at once, whichever path they came by. */
export interface Slots {
  readonly running: number
  readonly limit: number
  /** Takes one or refuses with 429. Where all are taken, the turn gives way whose reader has not read for longest. */
  take(): Slot
}

export interface Slot {
  /** Gives it back; called once. */
  release(): void
  /** The reader does not take what waits for it; the returned function says that it has. `giveUp` ends the turn. */
  unread(giveUp: () => void): () => void
}

/** Who has read nothing for so long does not read. */
const unreadMs = 100

interface Unread {
  readonly slot: object
  readonly since: number
  readonly giveUp: () => void
}

export function createSlots(limit: number, clock: Pick<Clock, 'now'>): Slots {
  const taken = new Set<object>()
  /** In the order in which their readers stopped. */
  const unread = new Set<Unread>()

  function makeRoom(): void {
    const [first] = unread
    if (!first || clock.now() - first.since < unreadMs) throw fail('HTTP_TOO_MANY', { limit }, { retryAfterMs: 1_000 })
    unread.delete(first)
    taken.delete(first.slot)
    first.giveUp()
  }

  return {
    limit,
    get running() {
      return taken.size
    },
    take() {
      if (taken.size >= limit) makeRoom()
      const slot: Slot = {
        release: () => void taken.delete(slot),
        unread(giveUp) {
          const entry = { slot, since: clock.now(), giveUp }
          unread.add(entry)
          return () => void unread.delete(entry)
        },
      }
      taken.add(slot)
      return slot
    },
  }
}
