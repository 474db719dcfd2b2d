import type { Clock } from '@agent/plugin-sdk'

/** How often each caller may come. */
export interface RateLimit {
  /** 0 lets the caller in; otherwise the milliseconds to wait. */
  take(caller: string): number
}

const minute = 60_000
/** Of more callers the one whose minute began first is forgotten. */
const mostCallers = 4096

/** So many within a minute, counted from each caller's first. */
export function createRateLimit({ clock, perMinute }: { clock: Pick<Clock, 'now'>; perMinute: number }): RateLimit {
  const callers = new Map<string, { from: number; count: number }>()
  return {
    take: (caller) => {
      const now = clock.now()
      const known = callers.get(caller)
      if (known && now - known.from < minute) {
        if (known.count >= perMinute) return known.from + minute - now
        known.count += 1
        return 0
      }
      // Again at the end: the callers stand in the order of their first.
      callers.delete(caller)
      for (const oldest of callers.keys()) {
        if (callers.size < mostCallers) break
        callers.delete(oldest)
      }
      callers.set(caller, { from: now, count: 1 })
      return 0
    },
  }
}
