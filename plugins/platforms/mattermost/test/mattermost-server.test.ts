import { afterEach, expect, test } from 'vitest'
import { type MattermostServer, openMattermostServer } from './mattermost-server.ts'
import { bot, direct, town } from './mattermost-world.ts'

let server: MattermostServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function ask(method: string, path: string, body?: unknown, token = 'token-of-the-bot') {
  server ??= await openMattermostServer()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const response = await fetch(`${server.url}/api/v4${path}`, init)
  return [response.status, ((await response.json()) as { id?: string }).id]
}

const id = 'x'.repeat(26)

test.each<[string, string, string, unknown, number, string]>([
  ['an unknown channel', 'GET', `/channels/${id}`, undefined, 404, 'app.channel.get.existing.app_error'],
  ['a post nowhere', 'POST', '/posts', { channel_id: id, message: 'x' }, 400, 'api.context.invalid_param.app_error'],
  [
    'an answer to nothing',
    'POST',
    '/posts',
    { channel_id: town, root_id: id, message: 'x' },
    400,
    'api.post.create_post.root_id.app_error',
  ],
  [
    '16,384 characters',
    'POST',
    '/posts',
    { channel_id: town, message: 'é'.repeat(16_384) },
    400,
    'model.post.is_valid.message_length.app_error',
  ],
  ['a change of nothing', 'PUT', `/posts/${id}/patch`, { message: 'x' }, 403, 'api.context.permissions.app_error'],
  [
    'a mark of another',
    'POST',
    '/reactions',
    { user_id: id, post_id: id, emoji_name: 'x' },
    403,
    'api.reaction.save_reaction.user_id.app_error',
  ],
  ['a mark on nothing', 'POST', '/reactions', { user_id: bot.id, post_id: id, emoji_name: 'x' }, 404, 'app.post.get.app_error'],
  ['an unknown file', 'GET', `/files/${id}`, undefined, 404, 'app.file_info.get.app_error'],
  ['a file for nowhere', 'POST', `/files?channel_id=${id}`, {}, 403, 'api.context.permissions.app_error'],
  ['an unknown path', 'GET', '/nowhere', undefined, 404, 'api.context.404.app_error'],
])('%s is refused', async (_what, method, path, body, status, error) => {
  expect(await ask(method, path, body)).toEqual([status, error])
})

test('a wrong token, words of others, an answer to an answer and an unknown mark are refused', async () => {
  expect(await ask('GET', '/users/me', undefined, 'wrong')).toEqual([401, 'api.context.session_expired.app_error'])
  const root = server?.say('x', { channel: town })
  const answer = server?.say('y', { channel: town, more: { root_id: root?.id ?? '' } })
  const refused = [400, 'api.post.create_post.root_id.app_error']
  expect(await ask('PUT', `/posts/${root?.id}/patch`, { message: 'z' })).toEqual([403, 'api.context.permissions.app_error'])
  expect(await ask('POST', '/posts', { channel_id: town, root_id: answer?.id, message: 'z' })).toEqual(refused)
  expect(await ask('POST', '/posts', { channel_id: direct, root_id: root?.id, message: 'z' })).toEqual(refused)
  const mark = { user_id: bot.id, post_id: root?.id, emoji_name: 'no-such-emoji' }
  expect(await ask('POST', '/reactions', mark)).toEqual([404, 'app.emoji.get_by_name.no_result'])
})
