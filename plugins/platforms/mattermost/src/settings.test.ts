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

const url = 'https://chat.example.com'

test('an address and a token are enough', async () => {
  expect(await load({ MATTERMOST_URL: ` ${url}/ `, MATTERMOST_TOKEN: ' abc ' })).toEqual({
    apiUrl: `${url}/api/v4`,
    token: 'abc',
    autoThread: true,
    directAutoThread: false,
    reactions: true,
  })
})

test('a server below a path, and an address of its API, are understood', async () => {
  const load2 = async (MATTERMOST_URL: string) => (await load({ MATTERMOST_URL, MATTERMOST_TOKEN: 'a' })).apiUrl
  expect(await load2(`${url}/chat/`)).toBe(`${url}/chat/api/v4`)
  expect(await load2(`${url}/api/v4/`)).toBe(`${url}/api/v4`)
})

test('a variable beats its key', async () => {
  const variables = { MATTERMOST_URL: url, MATTERMOST_TOKEN: 'a', MATTERMOST_AUTO_THREAD: 'off', MATTERMOST_DM_AUTO_THREAD: 'on' }
  expect(await load(variables, { auto_thread: true, reactions: false })).toMatchObject({
    autoThread: false,
    directAutoThread: true,
    reactions: false,
  })
})

test.each<[string, Record<string, string>]>([
  ['ENV_MISSING', {}],
  ['ENV_MISSING', { MATTERMOST_URL: url }],
  ['ENV_INVALID', { MATTERMOST_URL: 'chat.example.com', MATTERMOST_TOKEN: 'a' }],
  ['ENV_INVALID', { MATTERMOST_URL: 'ftp://chat.example.com', MATTERMOST_TOKEN: 'a' }],
  ['ENV_INVALID', { MATTERMOST_URL: 'https://a:b@chat.example.com', MATTERMOST_TOKEN: 'a' }],
  ['ENV_INVALID', { MATTERMOST_URL: `${url}/?team=x`, MATTERMOST_TOKEN: 'a' }],
  ['ENV_INVALID', { MATTERMOST_URL: url, MATTERMOST_TOKEN: 'two words' }],
  ['ENV_INVALID', { MATTERMOST_URL: url, MATTERMOST_TOKEN: 'a', MATTERMOST_AUTO_THREAD: 'perhaps' }],
])('%s for %j', async (code, variables) => {
  await expect(load(variables)).rejects.toMatchObject({ code })
})
