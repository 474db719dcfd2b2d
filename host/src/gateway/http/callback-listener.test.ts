import type { Call, Clock, HttpAdmit, HttpHandler } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type CallbackListener, createCallbackListener } from './callback-listener.ts'
import { type OpenDoor, openOwnDoor } from './open-door.ts'

const open: CallbackListener[] = []
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close()
})

function start(clock: Clock = systemClock): CallbackListener {
  const listener = createCallbackListener({ host: '127.0.0.1', port: 0, clock, log: silentLog })
  open.push(listener)
  return listener
}

const say =
  (text: string): HttpHandler =>
  async ({ url }) => ({ status: 200, body: `${text} ${url}` })

const ask = async (url: string, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> => {
  const response = await fetch(url, init)
  return { status: response.status, text: await response.text(), headers: response.headers }
}

test('routes share one listener; a path goes to the route that names it best', async () => {
  const listener = start()
  const { url } = await listener.route({ owner: 'talk', path: '/hooks/*', handler: say('any') })
  const exact = await listener.route({ owner: 'talk', path: '/hooks/one', handler: say('one') })
  expect(new URL(exact.url).origin).toBe(new URL(url).origin)
  expect(url).toMatch(/\/hooks$/)
  expect((await ask(`${url}/two/three?x=1`)).text).toBe('any /hooks/two/three?x=1')
  expect((await ask(exact.url)).text).toBe('one /hooks/one')
  expect((await ask(url.replace('/hooks', '/other'))).status).toBe(404)
})

test('a port that was taken is tried again with the next route, and until then there is nothing to close', async () => {
  const failures = [fail('PORT_IN_USE', { host: '127.0.0.1', port: 1, setting: 'its port setting' })]
  const openDoor: OpenDoor = async (...door) => {
    const failure = failures.pop()
    if (failure) throw failure
    return openOwnDoor(...door)
  }
  const listener = createCallbackListener({ host: '127.0.0.1', port: 0, clock: systemClock, log: silentLog, openDoor })
  open.push(listener)
  await expect(listener.route({ owner: 'talk', path: '/a', handler: say('in') })).rejects.toMatchObject({ code: 'PORT_IN_USE' })
  await listener.close()
  const { url } = await listener.route({ owner: 'other', path: '/a', handler: say('in') })
  expect((await ask(url)).text).toBe('in /a')
})

test('a route that is closed is gone, and its path is free again', async () => {
  const listener = start()
  const first = await listener.route({ owner: 'talk', path: '/a', handler: say('first') })
  await expect(listener.route({ owner: 'other', path: '/a', handler: say('second') })).rejects.toMatchObject({ code: 'INTERNAL' })
  first.close()
  expect((await ask(first.url)).status).toBe(404)
  await listener.route({ owner: 'talk', path: '/a', handler: say('second') })
  expect((await ask(first.url)).text).toBe('second /a')
})

test('a body that is larger than the route takes is refused', async () => {
  const { url } = await start().route({ owner: 'talk', path: '/a', handler: say('in'), maxBodyBytes: 10 })
  expect((await ask(url, { method: 'POST', body: 'x'.repeat(11) })).status).toBe(413)
  expect((await ask(url, { method: 'POST', body: 'x'.repeat(10) })).status).toBe(200)
})

test('strangers do not use up what the real sender is allowed, though all have one address', async () => {
  const handler: HttpHandler = async ({ headers }) => ({ status: headers['x-proof'] ? 200 : 401 })
  const { url } = await start().route({ owner: 'talk', path: '/a', handler, perMinute: 2 })
  const proof = { headers: { 'x-proof': 'yes' } }
  for (const status of [401, 401, 429, 429]) expect((await ask(url)).status).toBe(status)
  for (const status of [200, 200, 200]) expect((await ask(url, proof)).status).toBe(status)
  const refused = await ask(url)
  expect(refused.text).toContain(fail('HTTP_RATE_LIMIT', { path: '/a' }).message)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
})

test('what the route itself got wrong does not count', async () => {
  const statuses = [399, 500, 400, 400]
  const { url } = await start().route({
    owner: 'talk',
    path: '/a',
    handler: async () => ({ status: statuses.shift() ?? 400 }),
    perMinute: 2,
  })
  for (const status of [399, 500, 400, 400, 429]) expect((await ask(url)).status).toBe(status)
})

test('the address of a route is its path, without the star at its end', async () => {
  const listener = start()
  const { url } = await listener.route({ owner: 'talk', path: '/hooks/*', handler: say('any') })
  const odd = await listener.route({ owner: 'talk', path: '/hooks/*/one', handler: say('one') })
  expect([new URL(url).pathname, new URL(odd.url).pathname]).toEqual(['/hooks', '/hooks/*/one'])
})

test('where nothing is proved, all requests count', async () => {
  const { url } = await start().route({ owner: 'talk', path: '/a', handler: say('in'), perMinute: 2, open: true })
  for (const status of [200, 200, 429]) expect((await ask(url)).status).toBe(status)
})

test('a route refuses by the head, and this counts too', async () => {
  const admit: HttpAdmit = async ({ method }) => (method === 'POST' ? undefined : { status: 405 })
  const { url } = await start().route({ owner: 'talk', path: '/a', handler: say('in'), perMinute: 1, admit })
  for (const status of [405, 429]) expect((await ask(url)).status).toBe(status)
  expect((await ask(url, { method: 'POST' })).text).toBe('in /a')
})

test('a platform may be prepared again on its own path: the newest route that is open is called', async () => {
  const listener = start()
  const first = await listener.route({ owner: 'talk', path: '/a', handler: say('first') })
  const second = await listener.route({ owner: 'talk', path: '/a', handler: say('second') })
  expect((await ask(first.url)).text).toBe('second /a')
  second.close()
  expect((await ask(first.url)).text).toBe('first /a')
  first.close()
  expect((await ask(first.url)).status).toBe(404)
})

test('a handler that is not done in a minute is told to stop, one that is goes on for what it answers with', async () => {
  const clock = createFakeClock()
  const calls: Call[] = []
  const handler: HttpHandler = async ({ url }, call) => {
    calls.push(call)
    return url === '/a/slow' ? new Promise(() => undefined) : { status: 200 }
  }
  const { url } = await start(clock).route({ owner: 'talk', path: '/a/*', handler })
  expect((await ask(`${url}/quick`)).status).toBe(200)
  const slow = ask(`${url}/slow`)
  await expect.poll(() => calls.length).toBe(2)
  const isStopped = () => calls.map(({ signal }) => signal.aborted)
  await clock.advance(59_999)
  expect(isStopped()).toEqual([false, false])
  await clock.advance(1)
  expect((await slow).status).toBe(504)
  expect(isStopped()).toEqual([false, true])
})
