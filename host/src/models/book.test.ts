import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { Spent } from '#store/usage.ts'
import { createBook, type TokenBudget } from './book.ts'

const day: TokenBudget = { tokens: 100, per: 'day' }
const took = (tokens: number, source = 'cli'): Spent => ({
  ...{ session: 's', source, provider: 'far', model: 'big', calls: 1 },
  usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
})

async function open(budgets: readonly TokenBudget[]) {
  const temporary = await createTemporaryStore()
  const store = await temporary.open()
  const bookOf = (clock = temporary.clock) => createBook({ usage: store.usage, budgets: () => budgets, clock, log: silentLog })
  return { ...temporary, store, bookOf, [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose]() }
}

test('of calls that begin at once none goes beyond the budget, whatever is thought that they take', async () => {
  await using place = await open([day])
  const book = place.bookOf()
  const entries = await Promise.allSettled(Array.from({ length: 64 }, () => book.open('cli', () => 9)))
  const begun = entries.flatMap((entry) => (entry.status === 'fulfilled' ? [entry.value] : []))
  expect(begun).toHaveLength(11)
  await Promise.all(begun.map((entry) => entry.settle(took(8))))
  expect(await place.store.usage.total('')).toBe(88)
  // What they did not take can be taken by others.
  expect(await book.open('cli', () => 12)).toMatchObject({ warnings: [] })
})

test('what was taken before a kill and by other processes counts, and the next day begins at nothing', async () => {
  await using place = await open([day])
  await (await place.bookOf().open('cli', () => 1)).settle(took(95))
  const other = place.bookOf()
  await expect(other.open('cli', () => 6)).rejects.toMatchObject({
    code: 'BUDGET_SPENT',
    params: { budget: '100 tokens a day', taken: 95, needed: 6 },
  })
  place.clock.time += 24 * 3_600_000
  await other.open('cli', () => 6)
})

test('a month counts from its first day', async () => {
  await using place = await open([{ tokens: 100, per: 'month' }])
  place.clock.time = new Date(2026, 4, 1, 12).getTime()
  await (await place.bookOf().open('cli', () => 1)).settle(took(95))
  place.clock.time = new Date(2026, 4, 31, 12).getTime()
  await expect(place.bookOf().open('cli', () => 6)).rejects.toMatchObject({ params: { budget: '100 tokens a month' } })
  place.clock.time = new Date(2026, 5, 1, 12).getTime()
  await place.bookOf().open('cli', () => 6)
})

test('a budget of one door leaves the others alone, and each that counts must have something left', async () => {
  await using place = await open([{ tokens: 50, per: 'day', platform: 'far' }, day])
  const book = place.bookOf()
  await (await book.open('far', () => 1)).settle(took(48, 'far'))
  await expect(book.open('far', () => 5)).rejects.toMatchObject({ params: { budget: '50 tokens a day for far' } })
  await (await book.open('cli', () => 5)).settle(took(50))
  await expect(book.open('cli', () => 5)).rejects.toMatchObject({ params: { budget: '100 tokens a day' } })
})

test('four fifths are warned of once', async () => {
  await using place = await open([day])
  const book = place.bookOf()
  const entry = await book.open('cli', () => 79)
  expect(entry.warnings).toEqual([])
  await entry.settle(took(79))
  expect((await book.open('cli', () => 2)).warnings).toEqual(['81 % of the budget of 100 tokens a day are taken.'])
  expect((await book.open('cli', () => 2)).warnings).toEqual([])
})

test('without a budget nothing is estimated', async () => {
  const book = createBook({
    usage: { add: async () => undefined, total: () => Promise.reject(new Error('read')) },
    budgets: () => [],
    clock: createFakeClock(),
    log: silentLog,
  })
  await book.open('cli', () => {
    throw new Error('estimated')
  })
})
