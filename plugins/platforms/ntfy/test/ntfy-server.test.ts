import { afterEach, expect, test } from 'vitest'
import { type NtfyServer, type NtfyServerOptions, openNtfyServer } from './ntfy-server.ts'

const open = new Set<NtfyServer>()
afterEach(async () => {
  for (const server of open) await server.close()
  open.clear()
})

async function start(options: NtfyServerOptions = {}): Promise<NtfyServer> {
  const server = await openNtfyServer({ now: () => 1_700_000_000_000, ...options })
  open.add(server)
  return server
}

const post = (server: NtfyServer, topic: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/${topic}`, { method: 'POST', body, headers })

/** What a poll gives. */
async function poll(server: NtfyServer, query = ''): Promise<readonly string[]> {
  const text = await (await fetch(`${server.url}/t/json?poll=1${query}`)).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).message)
}

test('a message is answered, kept, and trimmed', async () => {
  const server = await start()
  const answer = await post(server, 't', '  hello \n', { Title: 'T', Tags: 'a, b,,' })
  const event = { id: expect.stringMatching(/^[\w-]{12}$/), time: 1_700_000_000, event: 'message', topic: 't', message: 'hello' }
  expect(await answer.json()).toEqual({ ...event, title: 'T', tags: ['a', 'b'] })
  await post(server, 't', ' ')
  await post(server, 'other', 'elsewhere')
  expect(await poll(server)).toEqual(['hello', 'triggered'])
})

test('what was kept is given since a message, a time or a span', async () => {
  let now = 1_700_000_000_000
  const server = await start({ now: () => now })
  const { id } = server.say('t', 'one')
  now += 60_000
  server.say('t', 'two')
  expect(await poll(server, `&since=${id}`)).toEqual(['two'])
  expect(await poll(server, '&since=no-such-id-x')).toEqual(['one', 'two'])
  expect(await poll(server, '&since=1700000060')).toEqual(['two'])
  expect(await poll(server, '&since=30s')).toEqual(['two'])
  expect(await poll(server, '&since=1m')).toEqual(['one', 'two'])
  expect(await poll(server, '&since=none')).toEqual([])
  server.forget()
  expect(await poll(server, '&since=all')).toEqual([])
})

test('a server without a cache keeps nothing', async () => {
  const server = await start({ cache: false })
  server.say('t', 'one')
  expect(await poll(server)).toEqual([])
})

const token = 'tk_right'
const bearer = { Authorization: 'Bearer tk_right' }

test.each<[string, NtfyServerOptions, string, RequestInit, number, number]>([
  ['a stranger', { token }, '/t/json', {}, 403, 40301],
  ['a wrong token', { token }, '/t/json', { headers: { Authorization: 'Bearer tk_wrong' } }, 401, 40101],
  ['a token where a password is wanted', { token: 'ann:x' }, '/t/json', { headers: bearer }, 401, 40101],
  ['a stranger who writes', { token }, '/t', { method: 'POST', body: 'hi' }, 403, 40301],
  ['a reserved topic', {}, '/docs/json', {}, 400, 40010],
  ['an odd topic', {}, '/a%20b/json', {}, 404, 40401],
  ['another format', {}, '/t/yaml', {}, 404, 40401],
  ['a deeper path', {}, '/t/json/x', {}, 404, 40401],
  ['a visit', {}, '/t', {}, 404, 40401],
  ['an odd since', {}, '/t/json?since=yesterday', {}, 400, 40008],
  ['4,097 bytes', {}, '/t', { method: 'POST', body: `${'é'.repeat(2048)}x` }, 400, 40014],
  ['bytes that are no text', {}, '/t', { method: 'POST', body: new Uint8Array([0xff, 0xfe]) }, 400, 40014],
])('%s is refused', async (_what, options, path, init, status, code) => {
  const server = await start(options)
  const answer = await fetch(server.url + path, init)
  expect(answer.status).toBe(status)
  expect(await answer.json()).toMatchObject({ code, http: status, error: expect.any(String) })
  expect(server.messages).toEqual([])
})

test('4,096 bytes are taken, and a password is as good as a token', async () => {
  const server = await start({ token: 'ann:x' })
  const headers = { Authorization: `Basic ${Buffer.from('ann:x').toString('base64')}` }
  expect((await post(server, 't', 'é'.repeat(2048), headers)).status).toBe(200)
})

test('a visitor who asks too much is refused without a time to wait, until there is room again', async () => {
  let now = 0
  const server = await start({ now: () => now })
  const ask = async () => (await post(server, 't', 'x')).status
  for (let n = 0; n < 60; n++) expect(await ask()).toBe(200)
  expect(await ask()).toBe(429)
  now = 5000
  expect([await ask(), await ask()]).toEqual([200, 429])
})
