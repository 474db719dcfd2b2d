import type { PlatformManifest } from '@agent/plugin-sdk'
import type { ConversationRef } from '#store/journal.ts'

/** Who may write now where platforms limit how much is said: answers go first, and marks, typing and previews have what is left. */
export interface Patience {
  /** A platform asks to be left alone in a conversation for so long. */
  ask(place: ConversationRef, retryAfterMs: number): void
  /** From when on answers may go there: milliseconds since 1970, a time that has passed where nothing holds them. */
  until(place: ConversationRef): number
  /** Whether there is room for something that nobody waits for. */
  hasRoom(place: ConversationRef): boolean
  /** Something goes to the platform. */
  spend(place: ConversationRef): void
}

export interface PatienceOptions {
  readonly catalog: { find(kind: 'platform', id: string): { readonly spec: PlatformManifest } | undefined }
  readonly clock: { now(): number }
}

/** After a platform has asked for patience, only answers go there for this long. */
const calmMs = 60_000
/** So many conversations are remembered before those whose time is over are forgotten. */
const mostRests = 1000

/** What an account may still say, by the budget of its platform. */
interface Purse {
  left: number
  at: number
}

export function createPatience({ catalog, clock }: PatienceOptions): Patience {
  const rests = new Map<string, number>()
  const purses = new Map<string, Purse>()
  const keyOf = ({ platform, account, conversation }: ConversationRef): string => JSON.stringify([platform, account, conversation])
  const budgetOf = ({ platform }: ConversationRef) => catalog.find('platform', platform)?.spec.limits.budget
  const purseOf = (place: ConversationRef): Purse | undefined => {
    const budget = budgetOf(place)
    if (!budget) return undefined
    const key = JSON.stringify([place.platform, place.account])
    const now = clock.now()
    const { left, at } = purses.get(key) ?? { left: budget.burst, at: now }
    const purse = { left: Math.min(budget.burst, left + (now - at) / budget.everyMs), at: now }
    purses.set(key, purse)
    return purse
  }
  return {
    ask: (place, retryAfterMs) => {
      if (rests.size >= mostRests) for (const [key, at] of rests) if (at + calmMs < clock.now()) rests.delete(key)
      rests.set(keyOf(place), Math.max(rests.get(keyOf(place)) ?? 0, clock.now() + retryAfterMs))
      const purse = purseOf(place)
      if (purse) purse.left = Math.min(purse.left, 0)
    },
    until: (place) => rests.get(keyOf(place)) ?? 0,
    hasRoom: (place) => {
      if (clock.now() < (rests.get(keyOf(place)) ?? Number.NEGATIVE_INFINITY) + calmMs) return false
      const purse = purseOf(place)
      // Half of what may be said at once is kept for answers.
      return !purse || purse.left > (budgetOf(place)?.burst ?? 0) / 2
    },
    spend: (place) => {
      const purse = purseOf(place)
      if (purse) purse.left -= 1
    },
  }
}
