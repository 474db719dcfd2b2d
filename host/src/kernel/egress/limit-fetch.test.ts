import { getEventListeners } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import { limitFetch } from './limit-fetch.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
/** Collecting takes long on a busy machine. */
const patient = { timeout: 20_000, interval: 100 }

let server: Server
let base = ''
let asked = 0
beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1
    // Says nothing at all, or begins a body that never ends.
    if (request.url === '/body') response.writeHead(200).write('x')
    if (request.url === '/whole') response.end('whole')
    if (request.url === '/empty') response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function open(signal: AbortSignal = new AbortController().signal): ReturnType<typeof limitFetch> {
  return limitFetch({ plugin: 'p', net: ['127.0.0.1'], fetch, signal, clock: systemClock, onRequest: () => undefined })
}

test('each request is told with how long its head took, the one that fails too', async () => {
  const told: unknown[] = []
  let now = 5000
  const clock = { now: () => (now += 30) }
  const signal = new AbortController().signal
  const get = limitFetch({ plugin: 'p', net: ['127.0.0.1'], fetch, signal, clock, onRequest: (request) => told.push(request) })
  await readAll(await get(`${base}/whole`))
  await expect(get(`${base}/silent`, { signal: AbortSignal.timeout(20) })).rejects.toThrow()
  expect(told).toMatchObject([
    { method: 'GET', path: '/whole', status: 200, ms: 30 },
    { method: 'GET', path: '/silent', error: expect.stringContaining('timeout'), ms: 30 },
  ])
})

/** How work that nobody holds ends while garbage is collected all the time. */
async function endOf(run: () => Promise<unknown>): Promise<unknown> {
  const ended = vi.fn()
  run().then(ended, ended)
  await expect
    .poll(() => {
      collectGarbage()
      return ended.mock.calls.length
    }, patient)
    .toBe(1)
  return ended.mock.calls[0]?.[0]
}

const readAll = async (response: Response): Promise<void> => {
  for await (const piece of response.body ?? []) void piece
}

test.each([
  ['a timeout', () => AbortSignal.timeout(60)],
  ['a combination with a timeout', () => AbortSignal.any([new AbortController().signal, AbortSignal.timeout(60)])],
])('%s of the author ends a fetch, whether it waits for the head or reads the body', async (_name, signal) => {
  const get = open()
  const timeout = { name: 'TimeoutError' }
  expect(await endOf(() => get(`${base}/`, { signal: signal() }))).toMatchObject(timeout)
  expect(await endOf(async () => (await get(`${base}/body`, { signal: signal() })).text())).toMatchObject(timeout)
  expect(await endOf(async () => readAll(await get(`${base}/body`, { signal: signal() })))).toMatchObject(timeout)
})

test('the end of the plugin ends its fetches, with and without a signal of the author', async () => {
  const life = new AbortController()
  const get = open(life.signal)
  asked = 0
  const reading = [
    endOf(() => get(`${base}/`)),
    endOf(async () => (await get(`${base}/body`)).text()),
    endOf(async () => readAll(await get(`${base}/body`, { signal: new AbortController().signal }))),
  ]
  await expect.poll(() => asked, patient).toBe(3)
  life.abort(new Error('over'))
  expect((await Promise.all(reading)).map(String)).toEqual(['Error: over', 'Error: over', 'Error: over'])
  await expect(get(`${base}/whole`)).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
})

test('what came whole or empty is no matter of signals any more', async () => {
  const author = new AbortController()
  const get = open()
  expect(await (await get(`${base}/whole`, { signal: author.signal })).text()).toBe('whole')
  expect((await get(`${base}/empty`, { signal: author.signal })).status).toBe(204)
  author.abort()
})

test('what was read is let go of, so that a signal that lives long does not gather what it once was used for', async () => {
  const { signal } = new AbortController()
  const get = open()
  const read = async (): Promise<string> => (await get(`${base}/whole`, { signal })).text()
  expect(await Promise.all([read(), read(), read()])).toEqual(['whole', 'whole', 'whole'])
  await expect
    .poll(() => {
      collectGarbage()
      return getEventListeners(signal, 'abort').length
    }, patient)
    .toBe(0)
})
