import type { Call, TurnRequest } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { counted, ended, greeting, jsonOf, openDoor, overloaded, play, type Script, started } from '../../test/test-door.ts'
import { createReplayCache } from './idempotency.ts'

const names = { 'idempotency-key': 'once' }
const bodies = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'x' }] },
  '/v1/responses': { input: 'x' },
} as const
const paths = Object.keys(bodies) as (keyof typeof bodies)[]

function openCounted(script: Script = () => play(greeting)) {
  const calls: Call[] = []
  const heard: TurnRequest[] = []
  const door = openDoor((request, call) => {
    heard.push(request)
    calls.push(call)
    return script(request, call)
  })
  const post = (path: keyof typeof bodies, more: object = {}, signal?: AbortSignal) =>
    door.ask({ path, headers: names, body: { ...bodies[path], ...more }, ...(signal ? { signal } : {}) })
  return { ...door, post, heard, calls }
}

test.each(paths)('%s: a repeated request is answered as the first time, for five minutes', async (path) => {
  const { post, heard, clock } = openCounted()
  const first = await post(path)
  const second = await post(path)
  expect(second.body).toBe(first.body)
  expect([first.headers?.['idempotency-replayed'], second.headers?.['idempotency-replayed']]).toEqual([undefined, 'true'])
  await post(path, { temperature: 1 })
  expect(heard).toHaveLength(2)
  await clock.advance(300_000)
  await post(path)
  expect(heard).toHaveLength(3)
})

test.each(paths)('%s: requests that come together share one run, until the last has left', async (path) => {
  const { post, calls } = openCounted(async function* (_request, { signal }) {
    yield started
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    yield* [counted, ended('left')]
  })
  const clients = [new AbortController(), new AbortController()]
  const asked = clients.map(({ signal }) => post(path, {}, signal))
  await new Promise(setImmediate)
  clients[0]?.abort()
  expect([calls.length, calls[0]?.signal.aborted]).toEqual([1, false])
  clients[1]?.abort()
  expect(calls[0]?.signal.aborted).toBe(true)
  const [first, second] = await Promise.all(asked)
  expect(second?.body).toBe(first?.body)
})

test.each(paths)('%s: a failure is not kept', async (path) => {
  let events = [started, overloaded, ended('', 'failed')]
  const { post, heard } = openCounted(() => play(events))
  expect((await post(path)).status).toBe(503)
  events = [...greeting]
  expect((await post(path)).status).toBe(200)
  expect(heard).toHaveLength(2)
})

test('a stream is never repeated from memory', async () => {
  const { post, heard } = openCounted()
  for (const _ of [1, 2]) expect((await post('/v1/responses', { stream: true })).headers?.['content-type']).toBe('text/event-stream')
  expect(heard).toHaveLength(2)
})

test.each(paths)('%s: the name of a request is visible ASCII', async (path) => {
  const reply = await openCounted().ask({ path, headers: { 'idempotency-key': 'two words' }, body: bodies[path] })
  expect([reply.status, await jsonOf(reply)]).toMatchObject([400, { error: { code: 'invalid_request', param: 'Idempotency-Key' } }])
})

test.each(paths)('%s: the same words with and without the tools of the agent are two requests', async (path) => {
  const { post, ask, heard } = openCounted()
  await post(path)
  await ask({ path, headers: { ...names, 'x-agent-tools': 'off' }, body: bodies[path] })
  expect(heard.map(({ agentTools }) => agentTools)).toEqual([undefined, false])
})

test('answers that are kept hold so many characters together; the oldest leaves first', async () => {
  const cache = createReplayCache({ clock: createFakeClock(), maxItems: 10, maxWeight: 10, keptMs: 1_000 })
  let asked = 0
  const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 1_000 }
  const once = (name: string) => cache.once(name, call, async () => ({ status: 200, body: 'x'.repeat(6) + ++asked }))
  for (const name of ['a', 'b', 'b']) await once(name)
  expect(asked).toBe(2)
  await once('a')
  expect(asked).toBe(3)
})
