import type { Clock } from '@agent/plugin-sdk'

const minuteMs = 60_000

/** Counts the proved requests of each route in a minute. Gives how long to wait, in milliseconds; 0 lets it in. */
export function createAllowance(clock: Pick<Clock, 'now'>, perMinute: number): (route: string) => number {
  const minutes = new Map<string, { readonly since: number; taken: number }>()
  return (route) => {
    const now = clock.now()
    const minute = minutes.get(route)
    if (!minute || now - minute.since >= minuteMs) {
      minutes.set(route, { since: now, taken: 1 })
      return 0
    }
    if (minute.taken >= perMinute) return minute.since + minuteMs - now
    minute.taken += 1
    return 0
  }
}
