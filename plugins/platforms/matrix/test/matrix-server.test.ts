import { afterEach, expect, test } from 'vitest'
import { password } from './matrix-login.ts'
import type { MatrixServer } from './matrix-server.ts'
import { bot } from './matrix-store.ts'
import { directRoom, openPeopledServer, say } from './matrix-world.ts'

const open: MatrixServer[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

async function start(): Promise<MatrixServer> {
  const server = await openPeopledServer()
  open.push(server)
  return server
}

async function ask(
  server: MatrixServer,
  asked: string,
  body?: unknown,
  token = server.token(),
): Promise<readonly [number, Record<string, unknown>]> {
  const [method = '', path = ''] = asked.split(' ')
  const response = await fetch(`${server.url}/_matrix/${path}`, {
    method,
    headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return [response.status, (await response.json()) as Record<string, unknown>]
}

const inRoom = `client/v3/rooms/${directRoom}`
const send = `PUT ${inRoom}/send/m.room.message`

test.each<[string, string, unknown, string | undefined, number, string]>([
  ['no token', 'GET client/v3/account/whoami', undefined, '', 401, 'M_MISSING_TOKEN'],
  ['a wrong token', 'GET client/v3/account/whoami', undefined, 'wrong', 401, 'M_UNKNOWN_TOKEN'],
  ['a wrong password', 'POST client/v3/login', { identifier: { user: bot }, password: 'wrong' }, '', 403, 'M_FORBIDDEN'],
  ['what it does not know', 'GET client/v3/capabilities', undefined, undefined, 404, 'M_UNRECOGNIZED'],
  ['what is no JSON', `${send}/1`, '{', undefined, 400, 'M_NOT_JSON'],
  ['a message without a kind', `${send}/1`, { body: 'x' }, undefined, 400, 'M_BAD_JSON'],
  ['a long message', `${send}/1`, { msgtype: 'm.text', body: 'x'.repeat(65_001) }, undefined, 413, 'M_TOO_LARGE'],
  ['a room without us', 'PUT client/v3/rooms/!none/send/m.room.message/1', { msgtype: 'm.text', body: 'x' }, undefined, 403, 'M_FORBIDDEN'],
  ['a room without an invitation', 'POST client/v3/rooms/!none/join', {}, undefined, 403, 'M_FORBIDDEN'],
  ['a place that it never gave', 'GET client/v3/sync?since=s99', undefined, undefined, 400, 'M_UNKNOWN'],
  ['a past without direction', `GET ${inRoom}/messages?from=t1&to=s0`, undefined, undefined, 400, 'M_INVALID_PARAM'],
  ['writing for somebody else', `PUT ${inRoom}/typing/@ann:test`, { typing: true, timeout: 1 }, undefined, 400, 'M_BAD_JSON'],
  ['writing without end', `PUT ${inRoom}/typing/${bot}`, { typing: true }, undefined, 400, 'M_BAD_JSON'],
  ['files without a token', 'GET client/v1/media/download/test/x', undefined, '', 401, 'M_MISSING_TOKEN'],
  ['files the old way', 'GET media/v3/download/test/x', undefined, undefined, 404, 'M_UNRECOGNIZED'],
])('it refuses %s', async (_what, asked, body, token, status, errcode) => {
  const server = await start()
  expect(await ask(server, asked, body, token)).toMatchObject([status, { errcode }])
})

test('a transaction is done once, and a sign stands below a message once', async () => {
  const server = await start()
  const message = { msgtype: 'm.text', body: 'x' }
  const [, first] = await ask(server, `${send}/1`, message)
  expect(await ask(server, `${send}/1`, message)).toEqual([200, first])
  const { event_id } = say(server, directRoom, 'mark me')
  const mark = { 'm.relates_to': { rel_type: 'm.annotation', event_id, key: '✅' } }
  expect(await ask(server, `PUT ${inRoom}/send/m.reaction/2`, mark)).toMatchObject([200, {}])
  expect(await ask(server, `PUT ${inRoom}/send/m.reaction/3`, mark)).toMatchObject([400, { errcode: 'M_DUPLICATE_ANNOTATION' }])
})

test('a login makes a token, and the one before it is none any more', async () => {
  const server = await start()
  const before = server.token()
  const [, login] = await ask(server, 'POST client/v3/login', { identifier: { user: bot }, password, device_id: 'MINE' }, '')
  expect(login).toMatchObject({ device_id: 'MINE', access_token: server.token() })
  expect(await ask(server, 'GET client/v3/account/whoami', undefined, before)).toMatchObject([401, {}])
})

test('a poll waits for news, and tells what did not fit', async () => {
  const server = await start()
  const [, { next_batch }] = await ask(server, 'GET client/v3/sync?timeout=0')
  const polling = ask(server, `GET client/v3/sync?since=${next_batch}&timeout=30000`)
  for (let count = 0; count < 12; count += 1) say(server, directRoom, `message ${count}`)
  expect(JSON.stringify(await polling)).toContain('message 11')
  const [, { rooms }] = await ask(server, `GET client/v3/sync?since=${next_batch}&timeout=0`)
  expect(rooms).toMatchObject({ join: { [directRoom]: { timeline: { limited: true, prev_batch: 't3' } } } })
  const [, past] = await ask(server, `GET ${inRoom}/messages?dir=b&from=t3&to=${next_batch}&limit=1`)
  expect(past).toMatchObject({ chunk: [{ content: { body: 'message 1' } }], end: 't2' })
})
