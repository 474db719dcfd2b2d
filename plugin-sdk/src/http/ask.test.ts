import { afterEach, expect, test } from 'vitest'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { type FakeServer, type Fault, openFakeServer } from '../testing/rig/fake-server.ts'
import { type AskOptions, askPlatform } from './ask.ts'

const open: FakeServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]()
})

async function start(...faults: Fault[]) {
  const server = await openFakeServer(() => ({ status: 200, body: '{"a":1}' }))
  open.push(server)
  server.breakNext(...faults)
  const clock = createFakeClock()
  const controller = new AbortController()
  const readProblem: AskOptions['readProblem'] = (body) => (body as { detail?: string; retryAfterMs?: number } | undefined) ?? {}
  const options: AskOptions = { platform: 'Test', clock, tokenHint: 'TEST_TOKEN must be right', readProblem }
  const ask = () => askPlatform(options, controller.signal, () => fetch(server.url, { signal: controller.signal }))
  return { server, clock, controller, ask }
}

const refusal = (status: number, body = '', headers = {}): Fault => ({ type: 'status', status, body, headers })

test('a success and a refusal are answers', async () => {
  const { ask } = await start(refusal(404, '{"detail":"There is none"}'), refusal(500, 'broken'))
  expect(await ask()).toMatchObject({ ok: false, status: 404, detail: 'There is none' })
  expect(await ask()).toMatchObject({ ok: false, status: 500, body: undefined, detail: 'it answered 500' })
  expect(await ask()).toMatchObject({ ok: true, status: 200, body: { a: 1 } })
})

test('a short rate limit is waited out, a long one is the answer', async () => {
  const { clock, ask } = await start(
    refusal(429, '{"retryAfterMs":2000}'),
    refusal(429, '', { 'Retry-After': '3' }),
    refusal(429, '', { 'Retry-After': '60' }),
  )
  const asking = ask()
  for (const ms of [2000, 3000]) {
    await expect.poll(() => clock.sleeping()).toBe(1)
    await clock.advance(ms)
  }
  expect(await asking).toMatchObject({ status: 429 })
})

test('a limit that does not end is the answer after three waits', async () => {
  const { server, clock, ask } = await start(...Array.from({ length: 5 }, () => refusal(429, '', { 'Retry-After': '1' })))
  const asking = ask()
  for (let wait = 0; wait < 3; wait += 1) {
    await expect.poll(() => clock.sleeping()).toBe(1)
    await clock.advance(1000)
  }
  expect(await asking).toMatchObject({ status: 429 })
  expect(server.journal).toHaveLength(4)
})

test('a wrong token, a server that breaks off and a caller that gives up are errors', async () => {
  const { controller, ask } = await start(refusal(401, '{"detail":"No"}'), { type: 'drop' }, { type: 'half-open' })
  await expect(ask()).rejects.toMatchObject({ code: 'PLATFORM_AUTH', params: { detail: 'No; TEST_TOKEN must be right' } })
  await expect(ask()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  const failed = expect(ask()).rejects.toThrow('given up')
  controller.abort(new Error('given up'))
  await failed
})
