import { fail } from '@agent/plugin-sdk/errors'

/** How many turns may run at once, whichever path they came by. */
export interface Slots {
  readonly running: number
  readonly limit: number
  /** Takes one or refuses with 429; the returned function gives it back and is called once. */
  take(): () => void
}

export function createSlots(limit: number): Slots {
  let running = 0
  const release = (): void => {
    running--
  }
  return {
    limit,
    get running() {
      return running
    },
    take() {
      if (running >= limit) throw fail('HTTP_TOO_MANY', { limit }, { retryAfterMs: 1_000 })
      running++
      return release
    },
  }
}
