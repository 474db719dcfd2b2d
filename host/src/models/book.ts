import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { dayOf, type Reservation, type Spent, type Taken, type UsageLedger } from '#store/usage.ts'
import { costOf, formatCost, type PriceList } from './catalog/price-list.ts'
import type { Price } from './catalog/price-row.ts'

/** What may be taken in a day or a month, in tokens or in dollars: by everything, by what comes through one door, or for a person. */
export interface SpendingBudget {
  readonly tokens?: number | undefined
  readonly money?: number | undefined
  readonly per: 'day' | 'month'
  readonly platform?: string | undefined
  /** A person's id on the platform; `each` counts everybody apart. */
  readonly person?: string | undefined
}

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
        day: budget.per === 'day' ? today : `${today.slice(0, 8)}01`,
      }))
      const call = { source, person, provider, model, ...planned.estimate() }
      const amount = await priced(call, counting)
      const { id, taken: before } = await usage.reserve(call, windows)
      const taken = await Promise.all(counting.map((budget, at) => countTaken(budget, before[at] ?? [])))
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

  /** Money counts by the highest rates, so that a long request does not pass for a short one. */
  async function countTaken({ money }: SpendingBudget, rows: readonly Taken[]): Promise<number> {
    if (money === undefined) return rows.reduce((sum, row) => sum + row.usage.input + row.usage.output, 0)
    const costs = await Promise.all(rows.map(costOfTaken))
    return costs.reduce((sum, cost) => sum + cost, 0)
  }

  async function costOfTaken({ provider, model, day, usage: took }: Taken): Promise<number> {
    const price = await prices.of(provider, model, day)
    return price ? costOf(took, price.long ?? price) : 0
  }

  async function priced({ provider, model, input, output }: Reservation, counting: readonly SpendingBudget[]): Promise<Amount> {
    const inMoney = counting.find(({ money }) => money !== undefined)
    const price = inMoney && (await prices.of(provider, model, dayOf(clock.now())))
    if (inMoney && !price) throw fail('PRICE_UNKNOWN', { budget: nameOf(inMoney), model: `${provider}/${model}` })
    return { tokens: input + output, cost: price ? estimateOf({ input, output }, price) : 0 }
  }

  /** `window` tells apart when it counts, and for whom. */
  function warn(budget: SpendingBudget, window: string, taken: number): readonly string[] {
    const key = `${nameOf(budget)} ${window}`
    if (taken < limitOf(budget) * 0.8 || warned.has(key)) return []
    warned.add(key)
    return [`${Math.floor((taken / limitOf(budget)) * 100)} % of the budget of ${nameOf(budget)} are taken.`]
  }

  async function settle(spent: Spent, reservation?: number): Promise<void> {
    try {
      await usage.add([spent], reservation)
    } catch (error) {
      log.warn('what a model call took could not be written down', { error: detailOf(error) })
    }
  }
}

function concerns({ platform, person }: SpendingBudget, planned: Planned): boolean {
  if (platform !== undefined && platform !== planned.source) return false
  return person === undefined || (planned.person !== '' && (person === 'each' || person === planned.person))
}

const estimateOf = (tokens: { readonly input: number; readonly output: number }, price: Price): number =>
  costOf({ ...tokens, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, price.long ?? price)

const countedBy = ({ money }: SpendingBudget, { tokens, cost }: Amount): number => (money === undefined ? tokens : cost)

const limitOf = ({ tokens = 0, money }: SpendingBudget): number => (money === undefined ? tokens : money * 1e6)

function tooMuch(budget: SpendingBudget, taken: number, amount: Amount): Error {
  const say = (count: number): string => (budget.money === undefined ? count.toLocaleString('en-US') : formatCost(count))
  return fail('BUDGET_SPENT', { budget: nameOf(budget), taken: say(taken), needed: say(countedBy(budget, amount)) })
}

function nameOf({ tokens = 0, money, per, platform, person }: SpendingBudget): string {
  const limit = money === undefined ? `${tokens.toLocaleString('en-US')} tokens` : formatCost(money * 1e6)
  const whom = person === 'each' ? 'each person' : person
  const where = platform === undefined ? '' : whom === undefined ? ` for ${platform}` : ` on ${platform}`
  return `${limit} a ${per}${whom === undefined ? '' : ` for ${whom}`}${where}`
}
