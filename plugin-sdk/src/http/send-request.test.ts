import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { type FakeServer, type Fault, openFakeServer } from '../testing/rig/fake-server.ts'
import { type SendRequestOptions, sendRequest } from './send-request.ts'

const readId: SendRequestOptions['readId'] = (body) => /^id:(.+)$/.exec(body)?.[1]

async function send(server: Pick<FakeServer, 'url'>, more: Partial<SendRequestOptions> = {}, signal = new AbortController().signal) {
  return await sendRequest({
    platform: 'Chat',
    clock: createFakeClock(),
    call: { id: 'c', signal, deadline: 1000 },
    request: (own) => fetch(server.url, { signal: own, redirect: 'manual' }),
    readId,
    ...more,
  })
}

/** The receipt of a send that is answered so. */
async function judged(fault: Fault, more: Partial<SendRequestOptions> = {}) {
  await using server = await openFakeServer(() => ({ status: 200, body: 'id:7' }))
  server.breakNext(fault)
  const receipt = await send(server, more)
  if (receipt.status === 'sent') return receipt
  const { params, retryAfterMs } = receipt.error
  return [receipt.status, params?.detail, retryAfterMs]
}

const status = (code: number, body = '', headers: Readonly<Record<string, string>> = {}): Fault => ({
  ...{ type: 'status', status: code, body, headers },
})

test('a success names the message', async () => {
  await using server = await openFakeServer(() => ({ status: 200, body: 'id:7' }))
  expect(await send(server)).toEqual({ status: 'sent', platformId: '7' })
})

test.each<[string, Fault, readonly unknown[]]>([
  ['a success without an id', status(200, 'thanks'), ['unknown', 'its answer cannot be read', undefined]],
  ['a refusal', status(400), ['refused', 'it answered 400', undefined]],
  ['a redirect', status(302, '', { Location: 'https://elsewhere' }), ['refused', 'it sends on to https://elsewhere', undefined]],
  ['a failure of the server', status(503), ['unknown', 'it answered 503', undefined]],
  ['a rate limit with a time', status(429, '', { 'Retry-After': '7' }), ['refused', 'it answered 429', 7000]],
  ['a rate limit without a time', status(429), ['refused', 'it answered 429', 5000]],
])('%s is told as what it is', async (_, fault, receipt) => {
  expect(await judged(fault)).toEqual(receipt)
})

test('refused credentials are told with the code that has the host connect again', async () => {
  await using server = await openFakeServer(() => ({ status: 401, body: '' }))
  const error = { code: 'PLATFORM_AUTH', params: { platform: 'Chat', detail: 'it answered 401' } }
  expect(await send(server)).toMatchObject({ status: 'refused', error })
  expect(await send(server, { readProblem: () => ({ detail: 'the token has ended' }) })).toMatchObject({
    error: { params: { detail: 'the token has ended' } },
  })
})

test('what the platform says in its own words counts more than the status', async () => {
  const saying = (problem: ReturnType<NonNullable<SendRequestOptions['readProblem']>>) => ({ readProblem: () => problem })
  expect(await judged(status(200, '{}'), saying({ detail: 'no such room' }))).toEqual(['refused', 'no such room', undefined])
  expect(await judged(status(400), saying({ detail: 'slower', retryAfterMs: 90 }))).toEqual(['refused', 'slower', 90])
  expect(await judged(status(429, '', { 'Retry-After': '7' }), saying({ retryAfterMs: 90 }))).toEqual(['refused', 'it answered 429', 90])
  expect(await judged(status(500), saying({ detail: 'on fire' }))).toEqual(['unknown', 'on fire', undefined])
  expect(await judged(status(200, 'id:8'), saying({ detail: 'not asked' }))).toEqual({ status: 'sent', platformId: '8' })
})

test('a connection that breaks after the request leaves it unknown', async () => {
  for (const fault of [{ type: 'drop' }, { type: 'cut', bytes: 2 }] as const)
    expect(await judged(fault)).toEqual(['unknown', expect.any(String), undefined])
})

test('nothing has left where nobody listens, or where it was given up before', async () => {
  const server = await openFakeServer(() => ({ status: 200 }))
  await server[Symbol.asyncDispose]()
  await expect(send(server)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE', params: { platform: 'Chat' } })
  await using open = await openFakeServer(() => ({ status: 200, body: 'id:7' }))
  await expect(send(open, {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(open.journal).toEqual([])
})

test('who gives up while it is under way cannot tell whether it arrived', async () => {
  await using server = await openFakeServer(() => ({ status: 200 }))
  server.breakNext({ type: 'half-open' })
  const stop = new AbortController()
  const sending = send(server, {}, stop.signal)
  await expect.poll(() => server.journal.length).toBe(1)
  stop.abort()
  expect(await sending).toMatchObject({ status: 'unknown' })
})
