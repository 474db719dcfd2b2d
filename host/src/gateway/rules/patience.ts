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

/** What an account, or one of its conversations, may still say. */
interface Purse {
  readonly burst: number
  left: number
  readonly at: number
}

export function createPatience({ catalog, clock }: PatienceOptions): Patience {
  const rests = new Map<string, number>()
  const purses = new Map<string, Purse>()
  const keyOf = ({ platform, account, conversation }: ConversationRef): string => JSON.stringify([platform, account, conversation])
  const fill = (key: string, { burst, everyMs }: { readonly burst: number; readonly everyMs: number }): Purse => {
    const now = clock.now()
    const { left, at } = purses.get(key) ?? { left: burst, at: now }
    const purse = { burst, left: Math.min(burst, left + (now - at) / everyMs), at: now }
    purses.set(key, purse)
    return purse
  }
  const pursesOf = (place: ConversationRef): readonly Purse[] => {
    const { budget, conversationBudget } = catalog.find('platform', place.platform)?.spec.limits ?? {}
    if (purses.size >= mostRests) for (const [key, { at }] of purses) if (at + calmMs < clock.now()) purses.delete(key)
    return [
      ...(budget ? [fill(JSON.stringify([place.platform, place.account]), budget)] : []),
      ...(conversationBudget ? [fill(keyOf(place), conversationBudget)] : []),
    ]
  }
  return {
    ask: (place, retryAfterMs) => {
      if (rests.size >= mostRests) for (const [key, at] of rests) if (at + calmMs < clock.now()) rests.delete(key)
      rests.set(keyOf(place), Math.max(rests.get(keyOf(place)) ?? 0, clock.now() + retryAfterMs))
      for (const purse of pursesOf(place)) purse.left = Math.min(purse.left, 0)
    },
    until: (place) => rests.get(keyOf(place)) ?? 0,
    hasRoom: (place) => {
      if (clock.now() < (rests.get(keyOf(place)) ?? Number.NEGATIVE_INFINITY) + calmMs) return false
      // Half of what may be said at once is kept for answers.
      return pursesOf(place).every(({ left, burst }) => left > burst / 2)
    },
    spend: (place) => {
      for (const purse of pursesOf(place)) purse.left -= 1
    },
  }
}
