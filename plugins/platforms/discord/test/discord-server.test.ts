import { afterEach, expect, test } from 'vitest'
import { type DiscordServer, openDiscordServer } from './discord-server.ts'
import { forum, general } from './discord-world.ts'

let server: DiscordServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function ask(method: string, path: string, body?: unknown, token = 'token.of.bot') {
  server ??= await openDiscordServer()
  const headers = {
    Authorization: `Bot ${token}`,
    'Content-Type': 'application/json',
    'User-Agent': 'DiscordBot (https://agent.invalid, 1)',
  }
  const response = await fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return [response.status, ((await response.json().catch(() => ({}))) as { code?: number }).code]
}

const messages = `/channels/${general}/messages`

test.each<[string, string, string, unknown, number, number]>([
  ['an unknown channel', 'GET', '/channels/1', undefined, 404, 10_003],
  ['an unknown message', 'PATCH', `${messages}/1`, { content: 'x' }, 404, 10_008],
  ['an empty message', 'POST', messages, { content: '' }, 400, 50_006],
  ['2,001 characters', 'POST', messages, { content: 'é'.repeat(2001) }, 400, 50_035],
  ['a long nonce', 'POST', messages, { content: 'x', nonce: 'x'.repeat(26) }, 400, 50_035],
  ['six rows of buttons', 'POST', messages, { content: 'x', components: Array(6).fill({ components: [] }) }, 400, 50_035],
  ['a message in a forum', 'POST', `/channels/${forum}/messages`, { content: 'x' }, 400, 50_008],
  ['a post without a title', 'POST', `/channels/${forum}/threads`, { message: { content: 'x' } }, 400, 50_035],
  ['a long title', 'POST', `/channels/${forum}/threads`, { name: 'x'.repeat(101), message: { content: 'x' } }, 400, 50_035],
  ['a post outside of a forum', 'POST', `/channels/${general}/threads`, { name: 'x', message: { content: 'x' } }, 400, 50_035],
  ['a command with capitals', 'PUT', '/applications/901/commands', [{ name: 'New', description: 'x' }], 400, 50_035],
  ['an unknown path', 'GET', '/nowhere', undefined, 404, 0],
])('%s is refused', async (_what, method, path, body, status, code) => {
  expect(await ask(method, path, body)).toEqual([status, code])
})

test('a wrong token, a second thread and words of others are refused', async () => {
  expect(await ask('GET', '/gateway/bot', undefined, 'wrong')).toEqual([401, 0])
  const { id } = server?.say('x', { channel: general }) ?? {}
  expect(await ask('PATCH', `${messages}/${id}`, { content: 'y' })).toEqual([403, 50_005])
  expect(await ask('POST', `${messages}/${id}/threads`, { name: 'x' })).toEqual([201, undefined])
  expect(await ask('POST', `${messages}/${id}/threads`, { name: 'x' })).toEqual([400, 160_004])
})
