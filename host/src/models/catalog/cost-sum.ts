import type { SpentOnDay } from '#store/usage.ts'
import { costOf, formatCost, type PriceList } from './price-list.ts'

/** What several calls cost together. */
export interface CostSum {
  /** Millionths of a dollar, by the lowest rates of each model. */
  readonly cost: number
  /** Some of it has a price. */
  readonly isKnown: boolean
  /** Some of it has none, or one that rises with the length of a request. */
  readonly isMore: boolean
}

export const nothingSpent: CostSum = { cost: 0, isKnown: false, isMore: false }

/** What was taken on a day cost as the model did then. */
export async function costOfRow(prices: PriceList, { provider, model, day, usage }: SpentOnDay): Promise<CostSum> {
  const price = await prices.of(provider, model, day)
  if (!price) return { cost: 0, isKnown: false, isMore: true }
  return { cost: costOf(usage, price), isKnown: true, isMore: price.long !== undefined }
}

export const addCosts = (one: CostSum, other: CostSum): CostSum => ({
  cost: one.cost + other.cost,
  isKnown: one.isKnown || other.isKnown,
  isMore: one.isMore || other.isMore,
})

/** Empty where nothing of it has a price. */
export function formatCostSum({ cost, isKnown, isMore }: CostSum): string {
  if (!isKnown) return ''
  return isMore ? `≥ ${formatCost(cost)}` : formatCost(cost)
}
