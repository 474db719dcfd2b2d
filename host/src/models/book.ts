import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { dayOf, type Payer, type Reservation, type Spent, type UsageLedger, type UsageWindow } from '#store/usage.ts'
import { concerns, countTaken, firstDayOf, limitOf, nameOfBudget, type SpendingBudget, windowOf } from './budget.ts'
import { type CallsServed, createCallsServed } from './calls-served.ts'
import type { LongestAnswer } from './catalog/longest-answer.ts'
import { costOf, formatCost, type PriceList } from './catalog/price-list.ts'
import type { Price } from './catalog/price-row.ts'

/** A model call that is to be made. */
export interface Planned extends Payer {
  readonly provider: string
  readonly model: string
  /** Tokens of its question, and of the longest answer that its caller wants; asked only where there is a budget. */
  readonly estimate: () => { readonly input: number; readonly output?: number | undefined }
}

/** One model call: what it is thought to take stands in the book until it is known what it took. */
export interface Booking {
  /** Budgets of which four fifths are taken by now, a sentence each; said once. */
  readonly warnings: readonly string[]
  /** Tokens that its answer may have, so that it stays within the budget; absent: as many as the model gives. */
  readonly mostOutput?: number
  /** Resolves when it is written down; it never rejects. Undefined: the call took nothing, and is none. */
  settle(spent: Spent | undefined): Promise<void>
}

/** Writes down what model calls take, and lets none begin that would go beyond a budget. */
export interface Book {
  readonly served: CallsServed
  /** Rejects with BUDGET_SPENT unless `isAllowed`, and with PRICE_UNKNOWN where money is counted and nobody knows the price. */
  open(planned: Planned, isAllowed?: boolean): Promise<Booking>
}

export interface BookOptions {
  readonly usage: Pick<UsageLedger, 'add' | 'reserve' | 'release'>
  readonly prices: PriceList
  readonly longestAnswer?: LongestAnswer
  readonly budgets: () => readonly SpendingBudget[]
  readonly clock: Clock
  readonly log: Log
}

/** What a call is held against. */
interface Counting {
  readonly counting: readonly SpendingBudget[]
  readonly windows: readonly UsageWindow[]
  readonly price: Price | undefined
}

/** Tokens, and what they cost in millionths of a dollar where money is counted. */
interface Amount {
  readonly tokens: number
  readonly cost: number
}

/** What every answer gets, unless its caller or its model wants less. */
export const usualAnswer = 4096
/** No model of today refuses an answer that may have so many tokens. */
const longestUnknown = 16_384

/** Writes down what calls take that a person asks for to try a model: no budget is in their way. */
export function createTrialBook({ usage, log }: Pick<BookOptions, 'log'> & { readonly usage: Pick<UsageLedger, 'add'> }): Book {
  const settle = writeTo(usage, log)
  return { served: createCallsServed(), open: async () => ({ warnings: [], settle: (spent) => settle(spent) }) }
}

function writeTo(usage: Pick<UsageLedger, 'add'>, log: Log): (spent: Spent | undefined, reservations?: readonly number[]) => Promise<void> {
  return async (spent, reservations) => {
    try {
      await usage.add(spent ? [spent] : [], reservations)
    } catch (error) {
      log.warn('what a model call took could not be written down', { error: detailOf(error) })
    }
  }
}

export function createBook({ usage, prices, longestAnswer, budgets, clock, log }: BookOptions): Book {
  const ledger = { usage, prices }
  const warn = createWarner()
  const settle = writeTo(usage, log)

  return {
    served: createCallsServed(),
    async open(planned, isAllowed = false) {
      const { source, person, job, provider, model } = planned
      const counting = budgets().filter((budget) => concerns(budget, planned))
      if (counting.length === 0) return { warnings: [], settle: (took) => settle(took) }
      const today = dayOf(clock.now())
      const windows = counting.map((budget) => ({ ...windowOf(budget, planned), day: firstDayOf(budget, today) }))
      const { input, output: wanted } = planned.estimate()
      const most = wanted ?? (await longestAnswer?.(provider, model))
      const call = { source, person, job, provider, model, input, output: Math.min(most ?? usualAnswer, usualAnswer) }
      const held = { counting, windows, price: await priceOf(prices, call, counting, today) }
      const amount = amountOf(call, held.price)
      const { id, left } = await reserve(ledger, call, held)
      const rooms = counting.map((budget, at) => (left[at] ?? 0) - countedBy(budget, amount))
      const full = rooms.findIndex((room) => room < 0)
      const spent = counting[full]
      if (spent && !isAllowed) {
        await usage.release(id)
        throw tooMuch(spent, limitOf(spent) - (left[full] ?? 0), amount)
      }
      const warnings = counting.flatMap((budget, at) => warn(budget, JSON.stringify(windows[at]), limitOf(budget) - (rooms[at] ?? 0)))
      if (spent) return { warnings, settle: (took) => settle(took, [id]) }
      const more = await reserveMore(ledger, call, { ...held, rooms, wish: (most ?? longestUnknown) - call.output })
      const booked = call.output + more.output
      const limit = booked === most ? {} : { mostOutput: booked }
      return { warnings, ...limit, settle: (took) => settle(took, [id, ...more.ids]) }
    },
  }
}

type Ledger = Pick<BookOptions, 'usage' | 'prices'>

/** What is left of each budget without it. */
async function reserve({ usage, prices }: Ledger, call: Reservation, { counting, windows }: Counting) {
  const { id, taken } = await usage.reserve(call, windows)
  const left = counting.map(async (budget, at) => limitOf(budget) - (await countTaken(prices, budget, taken[at] ?? [])))
  return { id, left: await Promise.all(left) }
}

/** Room for a longer answer: a quarter of what is left at most, where nobody took it in the meantime. */
async function reserveMore(
  ledger: Ledger,
  call: Reservation,
  { rooms, wish, ...held }: Counting & { readonly rooms: readonly number[]; readonly wish: number },
): Promise<{ readonly ids: readonly number[]; readonly output: number }> {
  const { counting, price } = held
  const shares = counting.map((budget, at) => answerIn(budget, (rooms[at] ?? 0) / 4, price))
  const output = Math.floor(Math.min(wish, ...shares))
  if (output <= 0) return { ids: [], output: 0 }
  const more = { ...call, input: 0, output }
  const { id, left } = await reserve(ledger, more, held)
  const amount = amountOf(more, price)
  if (counting.every((budget, at) => countedBy(budget, amount) <= (left[at] ?? 0))) return { ids: [id], output }
  await ledger.usage.release(id)
  return { ids: [], output: 0 }
}

async function priceOf(
  prices: PriceList,
  { provider, model }: Reservation,
  counting: readonly SpendingBudget[],
  today: string,
): Promise<Price | undefined> {
  const inMoney = counting.find(({ money }) => money !== undefined)
  const price = inMoney && (await prices.of(provider, model, today))
  if (inMoney && !price) throw fail('PRICE_UNKNOWN', { budget: nameOfBudget(inMoney), model: `${provider}/${model}` })
  return price
}

/** Each budget warns once in its window, which tells apart when it counts, and for whom. */
function createWarner(): (budget: SpendingBudget, window: string, taken: number) => readonly string[] {
  const warned = new Set<string>()
  return (budget, window, taken) => {
    const key = `${nameOfBudget(budget)} ${window}`
    if (taken < limitOf(budget) * 0.8 || warned.has(key)) return []
    warned.add(key)
    return [`${Math.floor((taken / limitOf(budget)) * 100)} % of the budget of ${nameOfBudget(budget)} are taken.`]
  }
}

const amountOf = (call: Reservation, price: Price | undefined): Amount => ({
  tokens: call.input + call.output,
  cost: price ? estimateOf(call, price) : 0,
})

/** How many tokens an answer can have for so much of a budget. */
function answerIn({ money }: SpendingBudget, room: number, price: Price | undefined): number {
  if (money === undefined) return room
  const rate = price ? (price.long ?? price).output : 0
  return rate === 0 ? Number.POSITIVE_INFINITY : room / rate
}

const estimateOf = (tokens: { readonly input: number; readonly output: number }, price: Price): number =>
  costOf({ ...tokens, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, price.long ?? price)

const countedBy = ({ money }: SpendingBudget, { tokens, cost }: Amount): number => (money === undefined ? tokens : cost)

function tooMuch(budget: SpendingBudget, taken: number, amount: Amount): Error {
  const say = (count: number): string => (budget.money === undefined ? count.toLocaleString('en-US') : formatCost(count))
  return fail('BUDGET_SPENT', { budget: nameOfBudget(budget), taken: say(taken), needed: say(countedBy(budget, amount)) })
}
