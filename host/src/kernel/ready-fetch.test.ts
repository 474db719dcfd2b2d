import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { askOwnServer, createReadyFetch, waitForCompiler } from './first-fetch.ts'

test('it is prepared once, before the first, whatever comes of it', async () => {
  const order: string[] = []
  const ready = createReadyFetch(
    async (url) => {
      order.push(String(url))
      return new Response('hello')
    },
    async () => {
      await Promise.resolve()
      order.push('prepared')
      throw new Error('no port is free')
    },
  )
  const answers = await Promise.all(['http://a/', 'http://b/'].map((url) => ready(url)))
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['hello', 'hello'])
  expect(order).toEqual(['prepared', 'http://a/', 'http://b/'])
})

test('the server that is asked is one of this process, answers, and is gone afterwards', async () => {
  const asked: [URL, number][] = []
  await askOwnServer(
    async (url, init) => {
      const answer = await fetch(url, init)
      asked.push([new URL(String(url)), answer.status])
      return answer
    },
    createFakeClock(),
    true,
  )
  expect(asked).toMatchObject([[{ hostname: '127.0.0.1' }, 204]])
  await expect(fetch(asked[0]?.[0] ?? '')).rejects.toThrow('fetch failed')
})

test('a server that does not answer is asked for two seconds', async () => {
  const clock = createFakeClock()
  const asking = askOwnServer(
    (_url, init) => new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('over')))),
    clock,
    true,
  )
  const ended = expect(asking).rejects.toThrow()
  await clock.advance(2000)
  await ended
})

test('where no server can be asked the compiler gets its time', async () => {
  const clock = createFakeClock()
  let isOver = false
  const waiting = waitForCompiler(clock, true).then(() => (isOver = true))
  await clock.advance(49)
  expect(isOver).toBe(false)
  await clock.advance(1)
  await waiting
})

test('where the compiler is ready nobody is asked and nothing waits', async () => {
  await askOwnServer(() => Promise.reject(new Error('asked')), createFakeClock(), false)
  await waitForCompiler(createFakeClock(), false)
})
