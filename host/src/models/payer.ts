import type { TurnRequest } from '@agent/plugin-sdk'
import type { Beneficiary, Payer } from '#store/usage.ts'

/** A turn of a session, as far as it says what counts for whom. */
export interface CountedTurn {
  readonly id: string
  readonly request: Pick<TurnRequest, 'source' | 'store'> & {
    /** The door that its model calls count for, where the request was made through another. */
    readonly countsAs?: string | undefined
    readonly job?: string | undefined
    readonly person?: string | undefined
  }
}

/** What its model calls count for, and tasks beside them. A caller that keeps the conversation itself has none here. */
export const servedBy = ({ id, request: { store, job } }: CountedTurn): Beneficiary => ({
  session: store === false ? '' : id,
  ...(job === undefined ? {} : { job }),
})

/** Whom its model calls count for. */
export function payerOf(turn: CountedTurn): Payer & Beneficiary {
  const { source, person = '', countsAs } = turn.request
  return { source: countsAs ?? source, person, ...servedBy(turn) }
}
