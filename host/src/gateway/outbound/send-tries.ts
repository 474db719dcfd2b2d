import type { Receipt } from '@agent/plugin-sdk'
import type { ClaimedSend } from '#store/journal.ts'

/** How often each message was handed to its platform and came back; waiting for a connection is no try. */
export interface SendTries {
  /** How long to wait before the next try, in milliseconds; undefined when there should be none. */
  next(send: Pick<ClaimedSend, 'seq'>, receipt: Receipt, repeatable: boolean): number | undefined
  forget(send: Pick<ClaimedSend, 'seq'>): void
}

const firstDelay = 2000
const longestDelay = 10_000
/** With the growing delay more than a minute of trouble; a platform knows a repetition for some minutes. */
const mostUnknown = 10
/** A platform that asks for patience gets more of it. */
const mostLimited = 50

/** A refusal with a time is tried again then; one of unknown fate only where a repetition does no harm. */
export function createSendTries(): SendTries {
  const tries = new Map<number, number>()
  return {
    next: ({ seq }, receipt, repeatable) => {
      if (receipt.status === 'sent') return undefined
      const count = (tries.get(seq) ?? 0) + 1
      tries.set(seq, count)
      const { retryAfterMs } = receipt.error
      if (receipt.status === 'refused') return retryAfterMs !== undefined && count < mostLimited ? retryAfterMs : undefined
      return repeatable && count < mostUnknown ? (retryAfterMs ?? Math.min(firstDelay * count, longestDelay)) : undefined
    },
    forget: ({ seq }) => void tries.delete(seq),
  }
}
