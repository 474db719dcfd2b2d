import * as z from 'zod/mini'
import { readUsage, sumUsage, type UsageSum } from '#rpc/usage/read-usage.ts'
import type { UsageReport, UsageRow } from '../api.ts'
import { count, type Router } from '../server/router.ts'

/** What model calls took, and what is left of the budgets. */
export function addUsage(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/analytics/usage', takes: z.strictObject({ days: z.optional(count(1, 366)) }) },
    answer: async ({ context, input }): Promise<UsageReport> => {
      const { rows, days, budgets } = await readUsage(context, input.days ?? 30)
      const byDay = new Map(sumUsage(rows, ({ day }) => day).map((sum) => [sum.name, toRow(sum)]))
      return {
        days: days.map((key) => byDay.get(key) ?? { key, calls: 0, input: 0, output: 0, cached: 0 }),
        models: sumUsage(rows, ({ provider, model }) => `${provider}/${model}`)
          .map(toRow)
          .sort(bySize),
        sources: sumUsage(rows, ({ source }) => source)
          .map(toRow)
          .sort(bySize),
        budgets: await budgets(),
      }
    },
  })
}

const bySize = (a: UsageRow, b: UsageRow): number => b.input + b.output - (a.input + a.output)

function toRow({ name, calls, input, output, cacheRead, spent }: UsageSum): UsageRow {
  return { key: name, calls, input, output, cached: cacheRead, ...(spent.isKnown ? { cost: spent.cost / 1e6 } : {}) }
}
