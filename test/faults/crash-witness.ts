import type { TestHome } from '../support/test-home.ts'
import { readClaimed } from './stored.ts'

/** Counts for itself at how many kills each message was in work, whatever the gateway counts. */
export interface CrashWitness {
  /** To be called after each kill, before the next start. */
  look(): void
  /** By the ids of a platform's messages. */
  of(platform: string): ReadonlyMap<string, number>
}

export function openCrashWitness(home: TestHome): CrashWitness {
  const seen = new Map<string, Map<string, Set<string>>>()
  return {
    look() {
      for (const { platform, id, owner, attempts } of readClaimed(home)) {
        const messages = seen.get(platform) ?? new Map<string, Set<string>>()
        // A gateway that was killed before it took up what its predecessor left leaves the same claim again.
        messages.set(id, (messages.get(id) ?? new Set()).add(`${owner} ${attempts}`))
        seen.set(platform, messages)
      }
    },
    of: (platform) => new Map([...(seen.get(platform) ?? [])].map(([id, claims]) => [id, claims.size])),
  }
}
