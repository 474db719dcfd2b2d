/** What a service allows under one name: so many things at once, then one each `everyMs` milliseconds. */
export interface Allowance {
  readonly name: string
  readonly burst: number
  readonly everyMs: number
}

/** Milliseconds to wait where one of the allowances is used up; 0, and one taken from each, where none is. */
export type RateLimiter = (...allowances: readonly Allowance[]) => number

/** Counts as the services do, for fakes that refuse what is one too many. `now`: milliseconds since 1970. */
export function createRateLimiter(now: () => number = Date.now): RateLimiter {
  const purses = new Map<string, { left: number; at: number }>()
  const fill = ({ name, burst, everyMs }: Allowance): { left: number; at: number } => {
    const at = now()
    const before = purses.get(name) ?? { left: burst, at }
    const purse = { left: Math.min(burst, before.left + (at - before.at) / everyMs), at }
    purses.set(name, purse)
    return purse
  }
  return (...allowances) => {
    const filled = allowances.map((allowance) => ({ purse: fill(allowance), everyMs: allowance.everyMs }))
    const waitMs = Math.max(0, ...filled.map(({ purse, everyMs }) => Math.ceil((1 - purse.left) * everyMs)))
    if (waitMs === 0) for (const { purse } of filled) purse.left -= 1
    return waitMs
  }
}
