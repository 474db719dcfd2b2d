import { expect, test } from 'vitest'
import { openFakeServer } from './fake-server.ts'

const hello = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello world' })

test('answers and keeps a journal of what came', async () => {
  await using server = await openFakeServer(hello)
  const reply = await fetch(`${server.url}/a?b=1`, { method: 'POST', headers: { 'X-Key': 'k' }, body: 'body' })
  expect(await reply.text()).toBe('hello world')
  expect(server.journal).toMatchObject([{ method: 'POST', url: '/a?b=1', headers: { 'x-key': 'k' } }])
  expect(Buffer.from(server.journal[0]?.body ?? []).toString()).toBe('body')
})

test('each fault hits one request, then the server is well again', async () => {
  await using server = await openFakeServer(hello)
  server.breakNext(
    { type: 'drop' },
    { type: 'garbage' },
    { type: 'status', status: 429, headers: { 'retry-after': '3' } },
    { type: 'cut', bytes: 5 },
  )
  await expect(fetch(server.url)).rejects.toThrow()
  await expect(fetch(server.url)).rejects.toThrow()
  const limited = await fetch(server.url)
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3'])
  const cut = await fetch(server.url)
  const reader = cut.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('hello')
  await expect(reader?.read()).rejects.toThrow()
  expect(await (await fetch(server.url)).text()).toBe('hello world')
  expect(server.journal).toHaveLength(5)
})

test('a half-open request never gets an answer, a delayed one when it is released', async () => {
  await using server = await openFakeServer(hello)
  server.breakNext({ type: 'half-open' }, { type: 'delay' })
  const controller = new AbortController()
  const hanging = fetch(server.url, { signal: controller.signal })
  while (server.journal.length < 1) await new Promise((resolve) => setImmediate(resolve))
  const delayed = fetch(server.url)
  while (server.journal.length < 2) await new Promise((resolve) => setImmediate(resolve))
  server.release()
  expect(await (await delayed).text()).toBe('hello world')
  controller.abort()
  await expect(hanging).rejects.toThrow()
})

test('who went away while the answer was delayed is not served', async () => {
  let served = 0
  await using server = await openFakeServer(() => {
    served += 1
    return { status: 200 }
  })
  server.breakNext({ type: 'delay' })
  const delayed = fetch(server.url)
  while (server.journal.length < 1) await new Promise((resolve) => setImmediate(resolve))
  server.cut()
  await expect(delayed).rejects.toThrow()
  server.release()
  expect((await fetch(server.url)).status).toBe(200)
  expect(served).toBe(1)
})
