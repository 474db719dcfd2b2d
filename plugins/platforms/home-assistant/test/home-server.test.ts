import { openWebSocket } from '@agent/plugin-sdk/http'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type HomeServer, openHomeServer, self } from './home-server.ts'

const open: HomeServer[] = []
afterEach(async () => {
  for (const home of open.splice(0)) await home[Symbol.asyncDispose]()
})

async function openRig(allowed?: readonly string[]) {
  const home = await openHomeServer({ token: 'right', ...(allowed ? { allowed } : {}), states: [{ entity_id: 'light.a', state: 'on' }] })
  open.push(home)
  const { url } = home.server
  const frames: Record<string, unknown>[] = []
  const ends: number[] = []
  const socket = await openWebSocket({
    url: `${url.replace('http', 'ws')}/api/websocket`,
    ...{ platform: 'Test', clock: createSystemClock(), signal: new AbortController().signal },
    onHear: () => undefined,
    onText: (text) => frames.push(JSON.parse(text)),
    onEnd: (code) => ends.push(code),
  })
  const say = async (...sent: readonly object[]): Promise<readonly unknown[]> => {
    const before = frames.length
    for (const frame of sent) socket.send(JSON.stringify(frame))
    await expect.poll(() => frames.length).toBe(before + sent.length)
    return frames.slice(before)
  }
  const ask = async (path: string, body?: object, token = 'right') => {
    const headers = { Authorization: `Bearer ${token}` }
    const response = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
    return [response.status, await response.text()]
  }
  await expect.poll(() => frames).toEqual([{ type: 'auth_required', ha_version: '2026.4.0' }])
  return { home, frames, ends, say, ask }
}

const enter = { type: 'auth', access_token: 'right' }

test.each([
  ['a wrong token', { type: 'auth', access_token: 'wrong' }],
  ['a command before the token', { id: 1, type: 'ping' }],
])('%s is shown the door', async (_, frame) => {
  const { say, ends } = await openRig()
  expect(await say(frame)).toMatchObject([{ type: 'auth_invalid' }])
  await expect.poll(() => ends).toEqual([1000])
})

test('commands need a number that rises, and have to be known', async () => {
  const { home, say } = await openRig()
  expect(await say(enter, { id: 3, type: 'ping' }, { id: 3, type: 'ping' }, { type: 'ping' }, { id: 4, type: 'dance' })).toMatchObject([
    { type: 'auth_ok' },
    { id: 3, type: 'pong' },
    { success: false, error: { code: 'id_reuse' } },
    { success: false, error: { code: 'invalid_format' } },
    { success: false, error: { code: 'unknown_command' } },
  ])
  expect(await say({ id: 5, type: 'auth/current_user' })).toMatchObject([{ success: true, result: self }])
  expect(home.logins()).toBe(1)
})

test('events go to who listens to them, and some only to administrators', async () => {
  const { home, frames, say } = await openRig(['state_changed'])
  const listen = (id: number, event_type: string) => ({ id, type: 'subscribe_events', event_type })
  expect(await say(enter, listen(1, 'agent_message'), listen(2, 'state_changed'))).toMatchObject([
    {},
    { success: false, error: { code: 'unauthorized' } },
    { success: true },
  ])
  home.fire('agent_message', {})
  home.change(null, { entity_id: 'light.a', state: 'on' })
  await expect.poll(() => frames.slice(4)).toMatchObject([{ id: 2, type: 'event', event: { event_type: 'state_changed' } }])
})

test.each<[string, object | undefined, number]>([
  ['/api/states', undefined, 200],
  ['/api/states/light.a', undefined, 200],
  ['/api/states/light.b', undefined, 404],
  ['/api/nothing', undefined, 404],
  ['/states', undefined, 404],
  ['/api/services/light/turn_on', { entity_id: 'light.a' }, 200],
  ['/api/services/light/explode', {}, 400],
  ['/api/services/lock/open', {}, 400],
  ['/api/services/notify/mobile_app_phone', { text: 'no message' }, 400],
])('%s with %j is answered %i', async (path, body, status) => {
  const { ask } = await openRig()
  expect((await ask(path, body))[0]).toBe(status)
  expect(await ask(path, body, 'wrong')).toEqual([401, '401: Unauthorized'])
})
