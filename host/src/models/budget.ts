import type { Payer, Taken, UsageWindow } from '#store/usage.ts'
import { costOf, formatCost, type PriceList } from './catalog/price-list.ts'

/** What may be taken in a day or a month, in tokens or in dollars: by everything, by what comes through one door, for a person, or by a job. */
export interface SpendingBudget {
  readonly tokens?: number | undefined
  readonly money?: number | undefined
  readonly per: 'day' | 'month'
  readonly platform?: string | undefined
  /** A person's id on the platform; `each` counts everybody apart. */
  readonly person?: string | undefined
  /** The id of a job; `each` counts every job apart. */
  readonly job?: string | undefined
}

export function concerns({ platform, person, job }: SpendingBudget, call: Payer): boolean {
  return (platform === undefined || platform === call.source) && isMeant(person, call.person) && isMeant(job, call.job)
}

const isMeant = (wanted: string | undefined, name = ''): boolean =>
  wanted === undefined || (name !== '' && (wanted === 'each' || wanted === name))

/** What counts against it together with a call. A person is known on one platform. */
export function windowOf({ platform, person, job }: SpendingBudget, call: Payer): Omit<UsageWindow, 'day'> {
  return {
    ...(person === undefined ? { source: platform } : { source: call.source, person: call.person }),
    ...(job === undefined ? {} : { job: call.job }),
  }
}

/** From when on it counts. */
export const firstDayOf = ({ per }: SpendingBudget, today: string): string => (per === 'day' ? today : `${today.slice(0, 8)}01`)

/** Tokens, or millionths of a dollar. Money counts by the highest rates, so that a long request does not pass for a short one. */
export async function countTaken(prices: PriceList, { money }: SpendingBudget, rows: readonly Taken[]): Promise<number> {
  if (money === undefined) return rows.reduce((sum, row) => sum + row.usage.input + row.usage.output, 0)
  const costs = await Promise.all(
    rows.map(async ({ provider, model, day, usage }) => {
      const price = await prices.of(provider, model, day)
      return price ? costOf(usage, price.long ?? price) : 0
    }),
  )
  return costs.reduce((sum, cost) => sum + cost, 0)
}

export const limitOf = ({ tokens = 0, money }: SpendingBudget): number => (money === undefined ? tokens : money * 1e6)

export function nameOfBudget({ tokens = 0, money, per, platform, person, job }: SpendingBudget): string {
  const limit = money === undefined ? `${tokens.toLocaleString('en-US')} tokens` : formatCost(money * 1e6)
  const whom = person === 'each' ? 'each person' : person
  const where = platform === undefined ? '' : whom === undefined ? ` for ${platform}` : ` on ${platform}`
  const by = job === undefined ? '' : job === 'each' ? ' by each job' : ` by the job ${job}`
  return `${limit} a ${per}${whom === undefined ? '' : ` for ${whom}`}${where}${by}`
}
