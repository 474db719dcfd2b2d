type Body = Readonly<Record<string, unknown>>

/** An `expired_in` below this counts seconds from now on; above, it is a time in seconds, or in milliseconds. */
const firstTime = 1_000_000_000
const firstTimeInMs = 1_000_000_000_000

/** An answer of MiniMax, which writes the same things down in other words, in the words of the standard; any other as it is. */
export function toStandard(body: Body, now: number): Body {
  const { expired_in: until, base_resp: outcome, ...rest } = body
  const lasts = typeof until === 'number' ? { expires_in: secondsUntil(until, now) } : {}
  if (typeof rest.access_token === 'string') return { token_type: 'bearer', ...lasts, ...rest }
  if (typeof rest.user_code === 'string') return typeof until === 'number' ? { ...rest, ...lasts, ...codeOf(rest) } : body
  if (typeof rest.status !== 'string' || rest.error !== undefined) return body
  return rest.status === 'error' ? { error: 'access_denied', ...said(outcome) } : { error: 'authorization_pending' }
}

/** What the person types in is what is asked with, and pauses are counted in milliseconds. */
function codeOf({ user_code: code, interval }: Body): Body {
  return { device_code: code, ...(typeof interval === 'number' ? { interval: Math.max(1, Math.ceil(interval / 1000)) } : {}) }
}

function secondsUntil(until: number, now: number): number {
  if (until < firstTime) return until
  return Math.max(0, Math.floor(((until < firstTimeInMs ? until * 1000 : until) - now) / 1000))
}

function said(outcome: unknown): Body {
  const message = typeof outcome === 'object' && outcome !== null && 'status_msg' in outcome ? outcome.status_msg : undefined
  return typeof message === 'string' && message !== '' ? { error_description: message } : {}
}
