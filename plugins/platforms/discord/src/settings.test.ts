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

test('a token is enough, and nobody is notified by default', async () => {
  expect(await load({ DISCORD_BOT_TOKEN: ' Bot a.b.c ' })).toEqual({
    token: 'a.b.c',
    baseUrl: 'https://discord.com/api/v10',
    autoThread: true,
    noThreadChannels: new Set(),
    reactions: true,
    menu: true,
    mentions: { parse: [], replied_user: false },
  })
})

test('a variable beats its key', async () => {
  const extra = { base_url: 'http://127.0.0.1:1/api/', auto_thread: true, no_thread_channels: ['9'], reactions: false }
  const variables = {
    DISCORD_BOT_TOKEN: 'a',
    DISCORD_AUTO_THREAD: 'no',
    DISCORD_NO_THREAD_CHANNELS: '1, 2',
    DISCORD_REACTIONS: 'yes',
    DISCORD_COMMAND_SYNC_POLICY: 'bulk',
    DISCORD_ALLOW_MENTION_USERS: 'true',
  }
  expect(await load(variables, extra)).toMatchObject({
    baseUrl: 'http://127.0.0.1:1/api',
    autoThread: false,
    noThreadChannels: new Set(['1', '2']),
    reactions: true,
    menu: true,
    mentions: { parse: ['users'], replied_user: false },
  })
  expect(await load({ DISCORD_BOT_TOKEN: 'a' }, extra)).toMatchObject({ noThreadChannels: new Set(['9']), reactions: false })
  expect(await load({ ...variables }, { slash_commands: false })).toMatchObject({ menu: false })
})

test.each<[string, Record<string, string>]>([
  ['ENV_MISSING', {}],
  ['ENV_INVALID', { DISCORD_BOT_TOKEN: 'two words' }],
  ['ENV_INVALID', { DISCORD_BOT_TOKEN: ' ' }],
  ['ENV_INVALID', { DISCORD_BOT_TOKEN: 'a', DISCORD_AUTO_THREAD: 'perhaps' }],
  ['ENV_INVALID', { DISCORD_BOT_TOKEN: 'a', DISCORD_COMMAND_SYNC_POLICY: 'often' }],
])('%s for %j', async (code, variables) => {
  await expect(load(variables)).rejects.toMatchObject({ code })
})

test.each(['discord.com', 'ftp://x.test', 'https://x.test/?a=1', 'https://x.test/#a'])('%s is no address of an API', (base_url) => {
  expect(config.safeParse({ base_url }).success).toBe(false)
})
