import type { Clock } from '@agent/plugin-sdk'

const steps = [60_000, 300_000, 900_000] as const

/** Keeps a failing model from being asked at every step of every turn. */
export interface Cooldown {
  /** The failure that it cools down from; undefined while a model may be asked. A conversation that was refused is asked for once all the same. */
  failure(isRefused: boolean): unknown
  failed(error: unknown): void
  succeeded(): void
}

export function createCooldown(clock: Pick<Clock, 'now'>): Cooldown {
  let failures = 0
  let last: { readonly error: unknown; readonly until: number } | undefined
  let wasForced = false
  return {
    failure(isRefused) {
      if (!last || clock.now() >= last.until) return undefined
      if (!isRefused || wasForced) return last.error
      wasForced = true
      return undefined
    },
    failed(error) {
      const wait = steps[Math.min(failures, steps.length - 1)] ?? 0
      failures++
      last = { error, until: clock.now() + wait }
    },
    succeeded() {
      failures = 0
      last = undefined
      wasForced = false
    },
  }
}
