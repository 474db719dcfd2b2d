import { expect, test } from 'vitest'
import { limitWeb } from './limit-web.ts'

const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
const page = { url: 'https://a.example', title: 'A', text: 'Words.' }
const web = { search: async () => [], extract: async () => page, crawl: async () => [page], resolve: async () => ['93.184.216.34'] }

test('the web is asked, with the call, by who may', async () => {
  expect(await limitWeb(web, () => undefined).extract(page.url, call)).toBe(page)
})

test('each question of who may not is refused', async () => {
  const limited = limitWeb(web, () => {
    throw new Error('undeclared')
  })
  const asked: Promise<unknown>[] = [
    limited.search({ query: 'x', most: 1 }, call),
    limited.extract('x', call),
    limited.crawl({ url: 'x', most: 1 }, call),
  ]
  asked.push(limited.resolve({ url: 'x', allowPrivate: true }, call))
  for (const answer of await Promise.allSettled(asked)) expect(answer).toMatchObject({ status: 'rejected' })
})
