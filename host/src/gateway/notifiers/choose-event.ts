import { type EventRow, type EventRows, eventKeyOf } from '#agent/notifiers/event-rows.ts'
import { longestRetryMs } from './limits.ts'

export interface EventChooser {
  /** The event to hear now: the oldest that was not tried, else one whose time has come, with the fewest attempts; undefined where none is. */
  next(now: number): Promise<EventRow | undefined>
  /** When those that wait are heard again. */
  times(): readonly number[]
}

/** Knows which events wait for another attempt, so that not each of them is read each time. */
export function createEventChooser(rows: Pick<EventRows, 'keys' | 'read'>): EventChooser {
  let later = new Map<string, EventRow>()
  const isDue = ({ retryAt = 0 }: EventRow, now: number): boolean => retryAt <= now || retryAt > now + longestRetryMs
  return {
    next: async (now) => {
      const keys = await rows.keys()
      const there = new Set(keys)
      later = new Map([...later].filter(([key]) => there.has(key)))
      for (const key of keys) {
        if (later.has(key)) continue
        const event = await rows.read(key)
        if (!event) continue
        if ((event.attempts ?? 0) === 0) return event
        later.set(key, event)
      }
      const due = [...later.values()].filter((event) => isDue(event, now))
      const [first] = due.sort((one, other) => (one.attempts ?? 0) - (other.attempts ?? 0))
      if (first) later.delete(eventKeyOf(first))
      return first
    },
    times: () => [...later.values()].map(({ retryAt = 0 }) => retryAt),
  }
}
