import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { Spent } from '#store/usage.ts'
import { createBook, type Planned } from './book.ts'
import type { SpendingBudget } from './budget.ts'
import { priceListOf } from './testing/price-list-of.ts'

const day: SpendingBudget = { tokens: 100, per: 'day' }
const took = (tokens: number, source = 'cli', person = ''): Spent => ({
  ...{ session: 's', source, person, provider: 'far', model: 'big', calls: 1 },
  usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
})

const own = [{ provider: 'far', model: 'big', input: 2, output: 10 }]
const prices = priceListOf(own)
const plan = (source: string, input: number, output = 0, person = ''): Planned => ({
  ...{ source, person, provider: 'far', model: 'big' },
  estimate: () => ({ input, output }),
})

async function open(budgets: readonly SpendingBudget[]) {
  const temporary = await createTemporaryStore()
  const store = await temporary.open()
  const bookOf = (clock = temporary.clock) => createBook({ usage: store.usage, prices, budgets: () => budgets, clock, log: silentLog })
  return { ...temporary, store, bookOf, [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose]() }
}

test('of calls that begin at once none goes beyond the budget, whatever is thought that they take', async () => {
  await using place = await open([day])
  const book = place.bookOf()
  const entries = await Promise.allSettled(Array.from({ length: 64 }, () => book.open(plan('cli', 9))))
  const begun = entries.flatMap((entry) => (entry.status === 'fulfilled' ? [entry.value] : []))
  expect(begun).toHaveLength(11)
  await Promise.all(begun.map((entry) => entry.settle(took(8))))
  expect(await place.store.usage.since('')).toMatchObject([{ usage: { input: 88, output: 0 } }])
  // What they did not take can be taken by others.
  expect(await book.open(plan('cli', 12))).toMatchObject({ warnings: [] })
})

test('what was taken before a kill and by other processes counts, and the next day begins at nothing', async () => {
  await using place = await open([day])
  await (await place.bookOf().open(plan('cli', 1))).settle(took(95))
  const other = place.bookOf()
  await expect(other.open(plan('cli', 6))).rejects.toMatchObject({
    code: 'BUDGET_SPENT',
    params: { budget: '100 tokens a day', taken: '95', needed: '6' },
  })
  place.clock.time += 24 * 3_600_000
  await other.open(plan('cli', 6))
})

test('a month counts from its first day', async () => {
  await using place = await open([{ tokens: 100, per: 'month' }])
  place.clock.time = new Date(2026, 4, 1, 12).getTime()
  await (await place.bookOf().open(plan('cli', 1))).settle(took(95))
  place.clock.time = new Date(2026, 4, 31, 12).getTime()
  await expect(place.bookOf().open(plan('cli', 6))).rejects.toMatchObject({ params: { budget: '100 tokens a month' } })
  place.clock.time = new Date(2026, 5, 1, 12).getTime()
  await place.bookOf().open(plan('cli', 6))
})

test('a budget of one door leaves the others alone, and each that counts must have something left', async () => {
  await using place = await open([{ tokens: 50, per: 'day', platform: 'far' }, day])
  const book = place.bookOf()
  await (await book.open(plan('far', 1))).settle(took(48, 'far'))
  await expect(book.open(plan('far', 5))).rejects.toMatchObject({ params: { budget: '50 tokens a day for far' } })
  await (await book.open(plan('cli', 5))).settle(took(50))
  await expect(book.open(plan('cli', 5))).rejects.toMatchObject({ params: { budget: '100 tokens a day' } })
})

test('a budget for each person counts everybody apart, on each platform, and nobody whom it does not know', async () => {
  await using place = await open([{ tokens: 50, per: 'day', person: 'each' }])
  const book = place.bookOf()
  await (await book.open(plan('irc', 1, 0, 'mira'))).settle(took(48, 'irc', 'mira'))
  await expect(book.open(plan('irc', 5, 0, 'mira'))).rejects.toMatchObject({
    params: { budget: '50 tokens a day for each person', taken: '48' },
  })
  for (const [source, person] of [
    ['irc', 'tom'],
    ['far', 'mira'],
    ['cli', ''],
  ] as const)
    await (await book.open(plan(source, 49, 0, person))).settle(took(49, source, person))
  // A call that runs counts as well.
  await book.open(plan('irc', 1, 0, 'tom'))
  await expect(book.open(plan('irc', 1, 0, 'tom'))).rejects.toMatchObject({ code: 'BUDGET_SPENT' })
  expect((await book.open(plan('cli', 99))).warnings).toEqual([])
})

test('a budget for one person leaves the others alone, and both are warned apart', async () => {
  await using place = await open([
    { tokens: 50, per: 'day', platform: 'irc', person: 'mira' },
    { money: 1, per: 'month', person: 'each' },
  ])
  const book = place.bookOf()
  await (await book.open(plan('irc', 45, 0, 'tom'))).settle(took(45, 'irc', 'tom'))
  expect((await book.open(plan('irc', 45, 0, 'mira'))).warnings).toEqual([
    '90 % of the budget of 50 tokens a day for mira on irc are taken.',
  ])
  await expect(book.open(plan('irc', 6, 0, 'mira'))).rejects.toMatchObject({ params: { budget: '50 tokens a day for mira on irc' } })
  await book.open(plan('far', 60, 0, 'mira'))
  const eighty = 410_000
  for (const person of ['ann', 'bob'])
    expect((await book.open(plan('irc', eighty, 0, person))).warnings).toEqual([
      '82 % of the budget of $1.00 a month for each person are taken.',
    ])
})

const ofJob = (job: string, input: number, source = 'cron'): Planned => ({ ...plan(source, input), job })
const tookBy = (job: string, tokens: number, source = 'cron'): Spent => ({ ...took(tokens, source), job })

test('a budget for each job counts every job apart, at whichever door, and leaves what is no job alone', async () => {
  await using place = await open([{ tokens: 50, per: 'day', job: 'each' }])
  const book = place.bookOf()
  await (await book.open(ofJob('job_a', 1))).settle(tookBy('job_a', 30))
  await (await book.open(ofJob('job_a', 1, 'irc'))).settle(tookBy('job_a', 18, 'irc'))
  await expect(book.open(ofJob('job_a', 5))).rejects.toMatchObject({ params: { budget: '50 tokens a day by each job', taken: '48' } })
  await (await book.open(ofJob('job_b', 1))).settle(tookBy('job_b', 45))
  await (await book.open(plan('cron', 49))).settle(took(49, 'cron'))
  expect((await book.open(ofJob('job_b', 1))).warnings).toEqual(['92 % of the budget of 50 tokens a day by each job are taken.'])
  // What another process has begun and was killed in counts too.
  await expect(place.bookOf().open(ofJob('job_b', 5))).rejects.toMatchObject({ params: { taken: '46' } })
})

test('a budget of one job may be for a door or a person too, and names all of it', async () => {
  await using place = await open([
    { tokens: 50, per: 'day', job: 'job_a' },
    { tokens: 20, per: 'month', platform: 'irc', person: 'mira', job: 'job_a' },
  ])
  const book = place.bookOf()
  await (await book.open({ ...ofJob('job_a', 1, 'irc'), person: 'mira' })).settle({ ...tookBy('job_a', 18, 'irc'), person: 'mira' })
  await expect(book.open({ ...ofJob('job_a', 5, 'irc'), person: 'mira' })).rejects.toMatchObject({
    params: { budget: '20 tokens a month for mira on irc by the job job_a', taken: '18' },
  })
  await (await book.open({ ...ofJob('job_a', 5, 'irc'), person: 'tom' })).settle(tookBy('job_a', 30, 'irc'))
  await expect(book.open(ofJob('job_a', 5))).rejects.toMatchObject({ params: { budget: '50 tokens a day by the job job_a', taken: '48' } })
  expect((await book.open(ofJob('job_b', 99))).warnings).toEqual([])
})

test('four fifths are warned of once', async () => {
  await using place = await open([day])
  const book = place.bookOf()
  const entry = await book.open(plan('cli', 79))
  expect(entry.warnings).toEqual([])
  await entry.settle(took(79))
  expect((await book.open(plan('cli', 2))).warnings).toEqual(['81 % of the budget of 100 tokens a day are taken.'])
  expect((await book.open(plan('cli', 2))).warnings).toEqual([])
})

test('without a budget nothing is estimated', async () => {
  const book = createBook({
    usage: { add: async () => undefined, reserve: () => Promise.reject(new Error('written')), release: async () => undefined },
    prices,
    budgets: () => [],
    clock: createFakeClock(),
    log: silentLog,
  })
  const estimate = (): never => {
    throw new Error('estimated')
  }
  await book.open({ ...plan('cli', 0), estimate })
})

const tookInAndOut = (input: number, output: number): Spent => ({ ...took(input), usage: { ...took(input).usage, output } })

test('money counts by the price of each model, and of 64 calls at once none goes beyond it', async () => {
  await using place = await open([{ money: 0.01, per: 'day' }])
  const book = place.bookOf()
  // 100 × $2 + 100 × $10 for a million are $0.0012.
  const entries = await Promise.allSettled(Array.from({ length: 64 }, () => book.open(plan('cli', 100, 100))))
  const begun = entries.flatMap((entry) => (entry.status === 'fulfilled' ? [entry.value] : []))
  expect(begun).toHaveLength(8)
  expect(begun.flatMap(({ warnings }) => warnings)).toEqual(['84 % of the budget of $0.01 a day are taken.'])
  await Promise.all(begun.map((entry) => entry.settle(tookInAndOut(100, 100))))
  await expect(place.bookOf().open(plan('cli', 100, 100))).rejects.toMatchObject({
    code: 'BUDGET_SPENT',
    params: { budget: '$0.01 a day', taken: '$0.0096', needed: '$0.0012' },
  })
})

test('under a cap in money a model is refused whose price nobody knows, and nothing stays booked for it', async () => {
  await using place = await open([{ money: 5, per: 'month', platform: 'irc' }])
  const unknown = { ...plan('irc', 1), model: 'small' }
  await expect(place.bookOf().open(unknown)).rejects.toMatchObject({
    code: 'PRICE_UNKNOWN',
    params: { budget: '$5.00 a month for irc', model: 'far/small' },
  })
  await place.bookOf().open({ ...unknown, source: 'cli' })
})

test('calls of other processes that are not over count, and so do those that ended with a killed one', async () => {
  await using place = await open([day])
  const other = createBook({ usage: (await place.open()).usage, prices, budgets: () => [day], clock: place.clock, log: silentLog })
  const running = await other.open(plan('cli', 60))
  await expect(place.bookOf().open(plan('cli', 41))).rejects.toMatchObject({ params: { taken: '60', needed: '41' } })
  await place.bookOf().open(plan('cli', 30))
  // Nobody settles that one any more.
  await running.settle(took(5))
  await expect(place.bookOf().open(plan('cli', 66))).rejects.toMatchObject({ params: { taken: '35', needed: '66' } })
  await place.bookOf().open(plan('cli', 65))
})

test('a call that was refused leaves nothing booked', async () => {
  await using place = await open([day])
  await expect(place.bookOf().open(plan('cli', 101))).rejects.toMatchObject({ code: 'BUDGET_SPENT' })
  await place.bookOf().open(plan('cli', 100))
})

test('an answer may be as long as its model gives, where enough is left, and else as long as is booked for it', async () => {
  await using place = await open([{ tokens: 100_000, per: 'day' }])
  const bookOf = (longest?: number) =>
    createBook({
      ...{ usage: place.store.usage, prices, budgets: () => [{ tokens: 100_000, per: 'day' }], clock: place.clock, log: silentLog },
      longestAnswer: async () => longest,
    })
  const wish: Planned = { ...plan('cli', 0), estimate: () => ({ input: 0 }) }
  const known = await bookOf(8000).open(wish)
  expect(known.mostOutput).toBeUndefined()
  // Nobody knows how long its answers are.
  const unknown = await bookOf().open(wish)
  expect(unknown.mostOutput).toBe(16_384)
  // A quarter of what is left goes to one call.
  const large = await bookOf(200_000).open(wish)
  expect(large.mostOutput).toBe(4096 + Math.floor((100_000 - 8000 - 16_384 - 4096) / 4))
  for (const entry of [known, unknown, large]) await entry.settle(took(1))
  expect((await bookOf(20_000).open(wish)).mostOutput).toBeUndefined()
})
