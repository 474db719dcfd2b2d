import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

function load(variables: Record<string, string>, extra: object = {}) {
  return loadSettings(config.parse(extra), {
    get: async (name) => variables[name] ?? Promise.reject(fail('ENV_MISSING', { name, file: '.env' })),
    find: async (name) => variables[name] || undefined,
  })
}

test('a topic is enough', async () => {
  expect(await load({ NTFY_TOPIC: ' our-agent ' })).toEqual({
    server: 'https://ntfy.sh',
    topic: 'our-agent',
    publishTopic: 'our-agent',
    authorization: undefined,
    account: 'ntfy.sh/our-agent',
  })
  await expect(load({})).rejects.toMatchObject({ code: 'ENV_MISSING' })
})

test('a variable beats its key', async () => {
  const extra = { server_url: 'http://other.test', publish_topic: 'other' }
  expect(await load({ NTFY_TOPIC: 't' }, extra)).toMatchObject({ server: 'http://other.test', publishTopic: 'other' })
  const variables = { NTFY_TOPIC: 't', NTFY_SERVER_URL: 'https://Push.test:8443/ntfy//', NTFY_PUBLISH_TOPIC: 'answers' }
  expect(await load(variables, extra)).toMatchObject({
    server: 'https://push.test:8443/ntfy',
    publishTopic: 'answers',
    account: 'push.test:8443/ntfy/t',
  })
})

test.each([
  ['tk_abc', 'Bearer tk_abc'],
  [' tk_abc\n', 'Bearer tk_abc'],
  ['ann:pässword', `Basic ${Buffer.from('ann:pässword').toString('base64')}`],
])('the token %j is sent as %j', async (token, authorization) => {
  expect(await load({ NTFY_TOPIC: 't', NTFY_TOKEN: token })).toMatchObject({ authorization })
})

test.each([
  ['NTFY_TOPIC', 'two words'],
  ['NTFY_TOPIC', 'a/../b'],
  ['NTFY_PUBLISH_TOPIC', 'a,b'],
  ['NTFY_SERVER_URL', 'ntfy.sh'],
  ['NTFY_SERVER_URL', 'ftp://ntfy.sh'],
  ['NTFY_SERVER_URL', 'https://ann:secret@ntfy.sh'],
  ['NTFY_SERVER_URL', 'https://ntfy.sh/?a=b'],
  ['NTFY_TOKEN', 'tk_a\r\nX-Evil'],
  ['NTFY_TOKEN', 'tk_ä'],
])('%s cannot be %j', async (name, value) => {
  await expect(load({ NTFY_TOPIC: 't', [name]: value })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})
