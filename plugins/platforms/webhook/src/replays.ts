import type { Clock } from '@agent/plugin-sdk'

/** Remembers for an hour what was taken, by signature: the ids of some senders are not signed and can be exchanged. */
export interface Replays {
  has(mark: string): boolean
  add(mark: string): void
}

const keptMs = 3_600_000
const mostKept = 2000

export function createReplays(clock: Pick<Clock, 'now'>): Replays {
  const seen = new Map<string, number>()
  return {
    has: (mark) => (seen.get(mark) ?? Number.NEGATIVE_INFINITY) > clock.now() - keptMs,
    add: (mark) => {
      seen.delete(mark)
      seen.set(mark, clock.now())
      for (const [old, at] of seen) {
        if (seen.size <= mostKept && at > clock.now() - keptMs) break
        seen.delete(old)
      }
    },
  }
}
