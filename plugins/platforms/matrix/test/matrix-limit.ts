import type { Answer } from './matrix-answer.ts'

export interface EventLimit {
  /** So many events at once, then one each `everyMs` milliseconds. */
  readonly burst: number
  readonly everyMs: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What Synapse allows a user unless its owner says otherwise: `rc_message`, 0.2 events a second and ten at once. */
export const ofSynapse: EventLimit = { burst: 10, everyMs: 5000 }

/** A server whose owner has lifted the limit for the account. */
export const unlimited: EventLimit = { burst: Number.POSITIVE_INFINITY, everyMs: 0 }

/** Counts an event; answers the refusal of one too many. */
export function createLimiter({ burst, everyMs, now = Date.now }: EventLimit): () => Answer | undefined {
  let left = burst
  let since = now()
  return () => {
    if (everyMs === 0) return undefined
    left = Math.min(burst, left + (now() - since) / everyMs)
    since = now()
    if (left >= 1) {
      left -= 1
      return undefined
    }
    const retry_after_ms = Math.ceil((1 - left) * everyMs)
    return { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms } }
  }
}
