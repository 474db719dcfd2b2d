import type { Clock } from '@agent/plugin-sdk'

/** How often each caller may come. */
export interface RateLimit {
  /** 0 lets the caller in; otherwise the milliseconds to wait. */
  take(caller: string): number
}

const minute = 60_000
/** More callers than these are not told apart for longer than they are remembered. */
const mostCallers = 4096

/** So many within a minute, counted from each caller's first. */
export function createRateLimit({ clock, perMinute }: { clock: Pick<Clock, 'now'>; perMinute: number }): RateLimit {
  const callers = new Map<string, { from: number; count: number }>()
  const forget = (now: number): void => {
    for (const [caller, { from }] of callers) if (now - from >= minute) callers.delete(caller)
    for (const caller of callers.keys()) {
      if (callers.size < mostCallers) return
      callers.delete(caller)
    }
  }
  return {
    take: (caller) => {
      const now = clock.now()
      const known = callers.get(caller)
      if (known && now - known.from < minute) {
        if (known.count >= perMinute) return known.from + minute - now
        known.count += 1
        return 0
      }
      if (callers.size >= mostCallers) forget(now)
      callers.set(caller, { from: now, count: 1 })
      return 0
    },
  }
}
