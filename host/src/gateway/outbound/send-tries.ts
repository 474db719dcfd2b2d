import type { ClaimedSend } from '#store/journal.ts'

/** How often each message was handed to its platform and came back; waiting for a connection is no try. */
export interface SendTries {
  /** How long to wait before the next try, in milliseconds; undefined when there should be none. */
  next(send: Pick<ClaimedSend, 'seq'>, why: Trouble): number | undefined
  forget(send: Pick<ClaimedSend, 'seq'>): void
}

/**
 * `limited`: the platform asks for patience, and may say for how long. `unclear`: it could not be found out. `untold`: the platform cannot tell.
 * `silent`: nothing was heard on its connection.
 */
export type Trouble = { readonly type: 'limited' | 'unclear' | 'untold' | 'silent'; readonly retryAfterMs?: number | undefined }

const firstDelay = 2000
const longestDelay = 10_000
/** With the growing delay more than a minute of trouble, and half a minute of silence; a platform knows a repetition for some minutes. */
const most = { untold: 3, unclear: 10, silent: 6, limited: 50 } as const

export function createSendTries(): SendTries {
  const tries = new Map<number, Partial<Record<Trouble['type'], number>>>()
  return {
    next: ({ seq }, { type, retryAfterMs }) => {
      const before = tries.get(seq) ?? {}
      const count = (before[type] ?? 0) + 1
      tries.set(seq, { ...before, [type]: count })
      return count < most[type] ? (retryAfterMs ?? Math.min(firstDelay * count, longestDelay)) : undefined
    },
    forget: ({ seq }) => void tries.delete(seq),
  }
}
