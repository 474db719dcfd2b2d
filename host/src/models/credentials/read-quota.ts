/** What is left of the smallest of a key's limits, as a share of it, and until when that holds. */
export interface Quota {
  readonly left: number
  readonly until: number
}

interface Headers {
  get(name: string): string | null
}

/** Names of headers in which services tell a limit and what is left of it. `reset` holds a date where the vendor writes one. */
const told: readonly { readonly limit: string; readonly left: string; readonly reset?: string }[] = [
  ...['requests', 'tokens'].map((what) => ({ limit: `x-ratelimit-limit-${what}`, left: `x-ratelimit-remaining-${what}` })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    limit: `anthropic-ratelimit-${what}-limit`,
    left: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
  { limit: 'x-ratelimit-limit', left: 'x-ratelimit-remaining' },
]
/** Plans that are measured in windows tell what is used, and when the window ends. */
const windows: readonly string[] = ['x-codex-primary', 'x-codex-secondary']

const minute = 60_000

/** Undefined where a service tells nothing. Most limits are for a minute: what was told is forgotten after one, unless its end is told. */
export function readQuota(headers: Headers, now: number): Quota | undefined {
  const number = (name: string): number => Number(headers.get(name) || Number.NaN)
  const limits = told.map(({ limit, left, reset }) => {
    const ends = reset === undefined ? Number.NaN : Date.parse(headers.get(reset) ?? '')
    return { left: number(left) / number(limit), until: Number.isNaN(ends) ? now + minute : ends }
  })
  const plans = windows.map((window) => {
    const ends = number(`${window}-reset-after-seconds`)
    return { left: 1 - number(`${window}-used-percent`) / 100, until: Number.isNaN(ends) ? now + minute : now + ends * 1000 }
  })
  const found = [...limits, ...plans].filter(({ left }) => Number.isFinite(left))
  return found.sort((one, other) => one.left - other.left)[0]
}
