import { type Clock, withTimeLimit } from '@agent/plugin-sdk'

export interface TurnLimit {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly ms: number
}

/** Runs when what the same session began before is over; rejects where that takes too long, or the signal fires before. */
export type InTurn = <T>(session: string, limit: TurnLimit, run: () => Promise<T>) => Promise<T>

/** One at a time for each session, in the order in which they were asked for. */
export function createInTurn(): InTurn {
  const sessions = new Map<string, Promise<void>>()
  return async (session, limit, run) => {
    let free: () => void = () => undefined
    const own = new Promise<void>((resolve) => {
      free = resolve
    })
    const before = sessions.get(session)
    const all = Promise.all([before, own]).then(() => {
      if (sessions.get(session) === all) sessions.delete(session)
    })
    sessions.set(session, all)
    try {
      if (before !== undefined) await withTimeLimit({ ...limit, what: 'The script before' }, () => before)
      return await run()
    } finally {
      free()
    }
  }
}
