import type { TurnRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { greeting, jsonOf, openDoor, play, started } from '../test/test-door.ts'

const known = { authorization: 'Bearer k' }

test('capabilities tell what is there and where', async () => {
  const { get } = openDoor(undefined, { key: 'k' })
  const capabilities = await jsonOf(await get('/v1/capabilities', 'GET', known))
  expect(capabilities).toMatchObject({
    object: 'agent.api_server.capabilities',
    model: 'agent',
    auth: { type: 'bearer', required: true },
    runtime: { tool_execution: 'both' },
    features: {
      client_tools: true,
      responses_api: true,
      run_approval_response: true,
      session_key_header: 'X-Agent-Session-Key',
      cors: false,
    },
    endpoints: { run_stop: { method: 'POST', path: '/v1/runs/{id}/stop' }, response: { method: 'GET', path: '/v1/responses/{id}' } },
  })
  expect(await jsonOf(await openDoor().get('/v1/capabilities'))).toMatchObject({
    auth: { required: false },
    features: { run_approval_response: false, session_key_header: null },
  })
})

test('detailed health needs the key, and is degraded while every place is taken', async () => {
  let finish = (): void => {}
  const script = async function* () {
    yield started
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    yield* greeting.slice(1)
  }
  const { ask, get } = openDoor(script, { key: 'k', maxRuns: 1 })
  const health = async () => jsonOf(await get('/health/detailed', 'GET', known))
  expect((await get('/health/detailed')).status).toBe(401)
  expect(await health()).toMatchObject({ status: 'ok', version: '1.2.3', active_runs: 0, readiness: { ready: true } })
  const asked = ask({ headers: known })
  await new Promise(setImmediate)
  expect(await health()).toMatchObject({ status: 'degraded', active_runs: 1, readiness: { checks: { runs: { active: 1, limit: 1 } } } })
  finish()
  await asked
  expect(await health()).toMatchObject({ status: 'ok', active_runs: 0 })
})

test('the one model is found by its name', async () => {
  const { get } = openDoor(undefined, { modelName: 'our agent' })
  expect(await jsonOf(await get('/v1/models/our%20agent'))).toMatchObject({ id: 'our agent', object: 'model' })
  for (const id of ['gpt', '%']) expect((await get(`/v1/models/${id}`)).status).toBe(404)
})

test('a client that names its own session finds it again, and the name stays with it', async () => {
  const heard: TurnRequest[] = []
  const { ask } = openDoor(
    (request) => {
      heard.push(request)
      return play(greeting)
    },
    { key: 'k' },
  )
  for (const own of ['ann', 'ann', 'bob']) {
    const reply = await ask({ headers: { ...known, 'x-agent-session-key': own } })
    expect([reply.status, reply.headers?.['x-agent-session-key']]).toEqual([200, own])
  }
  const sessions = heard.map(({ session }) => (session && 'key' in session ? session.key : ''))
  expect(sessions[0]).toMatch(/^api-server-[0-9a-f]{64}$/)
  expect([sessions[0] === sessions[1], sessions[0] === sessions[2]]).toEqual([true, false])
  expect(heard[0]?.history).toEqual([])
})

test.each([
  ['a control character', 'a\tb', 'k', 400, 'invalid_request'],
  ['nothing', '', 'k', 400, 'invalid_request'],
  ['a longer one', 'x'.repeat(257), 'k', 400, 'invalid_request'],
  ['any without a key', 'ann', undefined, 403, 'session_needs_key'],
])('a session that names itself is refused: %s', async (_what, own, key, status, code) => {
  const reply = await openDoor(undefined, { key }).ask({ headers: { ...known, 'x-agent-session-key': own } })
  expect([reply.status, await jsonOf(reply)]).toMatchObject([status, { error: { code } }])
  if (status === 400) expect(reply.headers?.['x-agent-session-key']).toBeUndefined()
})

test('a path tells which methods it knows', async () => {
  const { ask, get } = openDoor()
  expect(await ask({ method: 'PUT', path: '/v1/responses/x' })).toMatchObject({ status: 405, headers: { allow: 'GET, DELETE' } })
  expect(await get('/v1/runs/x/stop')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  for (const path of ['/v1/runs/x/y', '/v1/runs//events', '/v1/responses/a/b', '/v1/models/{id}/x']) {
    expect([path, (await get(path)).status]).toEqual([path, 404])
  }
})
