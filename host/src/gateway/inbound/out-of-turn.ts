import type { Claim, Journal } from '#store/journal.ts'
import type { WorkSource } from '../pump/pump.ts'

/** Stored messages that pass those before them. */
export interface OutOfTurn extends WorkSource<Claim> {
  add(seq: number): void
}

export function createOutOfTurn(journal: Pick<Journal, 'claimOutOfTurn'>, owner: string): OutOfTurn {
  const waiting: number[] = []
  const listeners = new Set<() => void>()
  return {
    add: (seq) => {
      waiting.push(seq)
      for (const wake of listeners) wake()
    },
    claim: async () => {
      for (let seq = waiting.shift(); seq !== undefined; seq = waiting.shift()) {
        const claim = await journal.claimOutOfTurn(owner, seq)
        // What does not wait any more has come to its turn.
        if (claim) return claim
      }
      return null
    },
    onWork: (wake) => {
      listeners.add(wake)
      return () => void listeners.delete(wake)
    },
  }
}
