import type { Clock } from '@agent/plugin-sdk'

export interface Tries {
  /** False where this address has had all that it gets now. */
  take(address: string): boolean
}

const windowMs = 60_000
const mostTries = 10

/** Ten a minute for each address, so that one cannot use up those of another. */
export function createTries(clock: Pick<Clock, 'now'>): Tries {
  const times = new Map<string, number[]>()
  return {
    take(address) {
      const since = clock.now() - windowMs
      for (const [each, at] of times) if (at.every((time) => time <= since)) times.delete(each)
      const recent = (times.get(address) ?? []).filter((time) => time > since)
      if (recent.length < mostTries) times.set(address, [...recent, clock.now()])
      return recent.length < mostTries
    },
  }
}
