import { expect, test } from 'vitest'
import { createBook } from '#models/book.ts'
import { priceListOf } from '#models/testing/price-list-of.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createBookPicture } from './book-picture.ts'

test('a picture counts by what its service says, else by what a large one takes, and one that was refused does not', async () => {
  await using place = await createTemporaryStore()
  const { usage } = await place.open()
  const ledger = createBook({ usage, prices: priceListOf(), budgets: () => [], clock: place.clock, log: silentLog })
  const book = createBookPicture(ledger)
  const picture = { provider: 'ant', model: 'brush-2', prompt: 'a red rose', call: { id: 'call_a' } }
  await (await book(picture)).settle({ input: 9, output: 1100 })
  await (await book({ ...picture, model: 'brush-3' })).settle('unknown')
  await (await book({ ...picture, model: 'brush-4' })).settle('nothing')
  const row = { session: '', source: 'image', person: '', provider: 'ant', calls: 1 }
  expect(await usage.since('')).toMatchObject([
    { ...row, model: 'brush-2', usage: { input: 9, output: 1100 } },
    { ...row, model: 'brush-3', estimated: 1, usage: { input: 3, output: 6300 } },
  ])
  await ledger.served.during(picture.call, { session: 'ses_a', job: 'job_a' }, async () =>
    (await book({ ...picture, model: 'brush-5' })).settle({ input: 1, output: 2 }),
  )
  expect(await usage.since('')).toContainEqual(expect.objectContaining({ model: 'brush-5', session: 'ses_a', job: 'job_a' }))
})

test('a picture that would go beyond a budget is refused, and one of unknown price too where money is counted; a refused one gives its share back', async () => {
  await using place = await createTemporaryStore()
  const { usage } = await place.open()
  const prices = priceListOf([{ provider: 'ant', model: 'brush-2', input: 5, output: 30 }])
  const book = createBookPicture(
    createBook({ usage, prices, budgets: () => [{ money: 0.2, per: 'day' }], clock: place.clock, log: silentLog }),
  )
  const picture = { provider: 'ant', model: 'brush-2', prompt: 'a red rose', call: { id: 'call_a' } }
  for (let time = 0; time < 5; time++) await (await book(picture)).settle('nothing')
  for (let time = 0; time < 3; time++) await (await book(picture)).settle({ input: 9, output: 1100 })
  await expect(book(picture)).rejects.toMatchObject({ code: 'BUDGET_SPENT', params: { budget: '$0.20 a day' } })
  await expect(book({ ...picture, model: 'brush-9' })).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' })
})
