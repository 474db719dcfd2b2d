import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { dayOf, type Reservation, type Spent, type UsageLedger } from '#store/usage.ts'
import { concerns, countTaken, firstDayOf, limitOf, nameOfBudget, type SpendingBudget } from './budget.ts'
import { costOf, formatCost, type PriceList } from './catalog/price-list.ts'
import type { Price } from './catalog/price-row.ts'

/** A model call that is to be made. */
export interface Planned {
  /** The door that it came through. */
  readonly source: string
  /** Who is answered; empty where nobody is known. */
  readonly person: string
  readonly provider: string
  readonly model: string
  /** Tokens that it will probably take; asked only where there is a budget. */
  readonly estimate: () => { readonly input: number; readonly output: number }
}

/** One model call: what it is thought to take stands in the book until it is known what it took. */
export interface Booking {
  /** Budgets of which four fifths are taken by now, a sentence each; said once. */
  readonly warnings: readonly string[]
  /** Resolves when it is written down; it never rejects. */
  settle(spent: Spent): Promise<void>
}

/** Writes down what model calls take, and lets none begin that would go beyond a budget. */
export interface Book {
  /** Rejects with BUDGET_SPENT unless `isAllowed`, and with PRICE_UNKNOWN where money is counted and nobody knows the price. */
  open(planned: Planned, isAllowed?: boolean): Promise<Booking>
}

export interface BookOptions {
  readonly usage: Pick<UsageLedger, 'add' | 'reserve' | 'release'>
  readonly prices: PriceList
  readonly budgets: () => readonly SpendingBudget[]
  readonly clock: Clock
  readonly log: Log
}

/** Tokens, and what they cost in millionths of a dollar where money is counted. */
interface Amount {
  readonly tokens: number
  readonly cost: number
}

export function createBook({ usage, prices, budgets, clock, log }: BookOptions): Book {
  const warned = new Set<string>()

  return {
    async open(planned, isAllowed = false) {
      const { source, person, provider, model } = planned
      const counting = budgets().filter((budget) => concerns(budget, planned))
      if (counting.length === 0) return { warnings: [], settle: (took) => settle(took) }
      const today = dayOf(clock.now())
      const windows = counting.map((budget) => ({
        ...(budget.person === undefined ? { source: budget.platform } : { source, person }),
        day: firstDayOf(budget, today),
      }))
      const call = { source, person, provider, model, ...planned.estimate() }
      const amount = await priced(call, counting)
      const { id, taken: before } = await usage.reserve(call, windows)
      const taken = await Promise.all(counting.map((budget, at) => countTaken(prices, budget, before[at] ?? [])))
      const full = counting.findIndex((budget, at) => (taken[at] ?? 0) + countedBy(budget, amount) > limitOf(budget))
      const spent = counting[full]
      if (spent && !isAllowed) {
        await usage.release(id)
        throw tooMuch(spent, taken[full] ?? 0, amount)
      }
      const warnings = counting.flatMap((budget, at) =>
        warn(budget, `${windows[at]?.day} ${budget.person && person}`, (taken[at] ?? 0) + countedBy(budget, amount)),
      )
      return { warnings, settle: (took) => settle(took, id) }
    },
  }

  async function priced({ provider, model, input, output }: Reservation, counting: readonly SpendingBudget[]): Promise<Amount> {
    const inMoney = counting.find(({ money }) => money !== undefined)
    const price = inMoney && (await prices.of(provider, model, dayOf(clock.now())))
    if (inMoney && !price) throw fail('PRICE_UNKNOWN', { budget: nameOfBudget(inMoney), model: `${provider}/${model}` })
    return { tokens: input + output, cost: price ? estimateOf({ input, output }, price) : 0 }
  }

  /** `window` tells apart when it counts, and for whom. */
  function warn(budget: SpendingBudget, window: string, taken: number): readonly string[] {
    const key = `${nameOfBudget(budget)} ${window}`
    if (taken < limitOf(budget) * 0.8 || warned.has(key)) return []
    warned.add(key)
    return [`${Math.floor((taken / limitOf(budget)) * 100)} % of the budget of ${nameOfBudget(budget)} are taken.`]
  }

  async function settle(spent: Spent, reservation?: number): Promise<void> {
    try {
      await usage.add([spent], reservation)
    } catch (error) {
      log.warn('what a model call took could not be written down', { error: detailOf(error) })
    }
  }
}

const estimateOf = (tokens: { readonly input: number; readonly output: number }, price: Price): number =>
  costOf({ ...tokens, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, price.long ?? price)

const countedBy = ({ money }: SpendingBudget, { tokens, cost }: Amount): number => (money === undefined ? tokens : cost)

function tooMuch(budget: SpendingBudget, taken: number, amount: Amount): Error {
  const say = (count: number): string => (budget.money === undefined ? count.toLocaleString('en-US') : formatCost(count))
  return fail('BUDGET_SPENT', { budget: nameOfBudget(budget), taken: say(taken), needed: say(countedBy(budget, amount)) })
}
