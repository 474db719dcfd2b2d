import type { ModelMessage } from '@agent/plugin-sdk'

/** What turns did until they had to wait for results of their caller. A restart forgets it; then the store knows what may be written down. */
export interface RecentSteps {
  keep(calls: readonly { readonly id: string }[], messages: readonly ModelMessage[]): void
  /** The messages of all turns that handed out one of these calls, in the order of the calls. */
  find(calls: readonly string[]): readonly ModelMessage[]
}

interface Kept {
  readonly messages: readonly ModelMessage[]
  readonly weight: number
}

/** The oldest leave first; `maxWeight` counts characters. */
export function createRecentSteps({ maxCalls = 1_000, maxWeight = 16_000_000 } = {}): RecentSteps {
  const kept = new Map<string, Kept>()
  let weight = 0
  return {
    keep(calls, messages) {
      const each = Math.ceil(JSON.stringify(messages).length / calls.length)
      for (const { id } of calls) {
        kept.set(id, { messages, weight: each })
        weight += each
      }
      for (const [call, old] of kept) {
        if (kept.size <= maxCalls && weight <= maxWeight) return
        kept.delete(call)
        weight -= old.weight
      }
    },
    find: (calls) => [...new Set(calls.flatMap((call) => kept.get(call)?.messages ?? []))],
  }
}
