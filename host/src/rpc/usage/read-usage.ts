import { systemClock } from '#kernel/clock.ts'
import { concerns, countTaken, firstDayOf, limitOf, nameOfBudget, type SpendingBudget, windowOf } from '#models/budget.ts'
import { addCosts, type CostSum, costOfRow } from '#models/catalog/cost-sum.ts'
import { openFacts } from '#models/catalog/facts.ts'
import { openPrices, type PriceList } from '#models/catalog/price-list.ts'
import { dayOf, type SpentOnDay } from '#store/usage.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { withStore } from '../home/open-home-store.ts'
import type { HomeContext } from '../home-context.ts'

const dayMs = 24 * 3_600_000

export type PricedRow = SpentOnDay & { readonly spent: CostSum }

export interface TakenBudget {
  readonly name: string
  readonly used: number
  readonly limit: number
  readonly unit: 'tokens' | 'dollars'
}

export interface HomeUsage {
  /** The days that were asked for, oldest first, today among them. */
  readonly days: readonly string[]
  /** What was taken on them, oldest first. */
  readonly rows: readonly PricedRow[]
  /** What is taken of each budget now. */
  budgets(): Promise<readonly TakenBudget[]>
}

/** What model calls took in the last days. */
export async function readUsage(
  context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile' | 'note'>,
  count: number,
): Promise<HomeUsage> {
  const now = systemClock.now()
  const days = [...new Set(Array.from({ length: count }, (_, ago) => dayOf(now - (count - 1 - ago) * dayMs)))]
  const [first = dayOf(now)] = days
  const rows = await withStore(context, ({ usage }) => usage.since(first))
  const { catalog, loaded, home } = await openCatalog(context)
  const prices = openPrices({ catalog, loaded, facts: openFacts({ file: home.files.modelCatalog, loaded }) })
  const { budgets } = loaded.config
  return {
    days,
    rows: await Promise.all(rows.map(async (row) => ({ ...row, spent: await costOfRow(prices, row) }))),
    async budgets() {
      if (budgets.length === 0) return []
      const today = dayOf(now)
      const taken = await withStore(context, ({ usage }) => usage.since(`${today.slice(0, 8)}01`))
      return Promise.all(budgets.map((budget) => tellBudget(budget, taken, { prices, today })))
    },
  }
}

interface Counting {
  readonly prices: PriceList
  readonly today: string
}

/** Where each person or job has a budget, the one is told who took the most of it. */
async function tellBudget(budget: SpendingBudget, rows: readonly SpentOnDay[], { prices, today }: Counting): Promise<TakenBudget> {
  const first = firstDayOf(budget, today)
  const counted = rows.filter((row) => row.day >= first && concerns(budget, row))
  const keyOf = (row: SpentOnDay): string => JSON.stringify(windowOf(budget, row))
  const groups = [...new Set(counted.map(keyOf))].map((key) => counted.filter((row) => keyOf(row) === key))
  const used = Math.max(0, ...(await Promise.all(groups.map((group) => countTaken(prices, budget, group)))))
  const [scale, unit] = budget.money === undefined ? ([1, 'tokens'] as const) : ([1e6, 'dollars'] as const)
  return { name: nameOfBudget(budget), used: used / scale, limit: limitOf(budget) / scale, unit }
}

export interface UsageSum {
  readonly name: string
  readonly calls: number
  readonly input: number
  readonly cacheRead: number
  readonly output: number
  readonly reasoning: number
  readonly spent: CostSum
}

/** The sums of rows that have one name. */
export function sumUsage(rows: readonly PricedRow[], nameOf: (row: SpentOnDay) => string): readonly UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const row of rows) {
    const name = nameOf(row)
    const { calls, usage, spent } = row
    sums.set(name, add(sums.get(name), { name, calls, ...usage, spent }))
  }
  return [...sums.values()]
}

export const sumAll = (sums: readonly UsageSum[]): UsageSum => sums.reduce((all, sum) => add(all, sum))

function add(before: UsageSum | undefined, { name, calls, input, cacheRead, output, reasoning, spent }: UsageSum): UsageSum {
  if (!before) return { name, calls, input, cacheRead, output, reasoning, spent }
  return {
    name: before.name,
    calls: before.calls + calls,
    input: before.input + input,
    cacheRead: before.cacheRead + cacheRead,
    output: before.output + output,
    reasoning: before.reasoning + reasoning,
    spent: addCosts(before.spent, spent),
  }
}
