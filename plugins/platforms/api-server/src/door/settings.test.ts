import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings, type Settings } from './settings.ts'

function load(variables: Record<string, string> = {}, extra: object = {}, profile = 'default'): Promise<Settings> {
  return loadSettings(config.parse(extra), { find: async (name) => variables[name] }, profile)
}

test('nothing configured listens on the loopback address without a key', async () => {
  expect(await load()).toEqual({
    enabled: true,
    host: '127.0.0.1',
    port: 8642,
    key: undefined,
    origins: [],
    modelName: 'agent',
    toolProgress: 'safe',
    toolItems: 'mcp_call',
    showReasoning: false,
    maxBodyBytes: 10_000_000,
    maxRuns: 64,
  })
})

test('a variable beats the configuration, and an empty one counts as unset', async () => {
  const variables = {
    API_SERVER_ENABLED: 'no',
    API_SERVER_HOST: '0.0.0.0',
    API_SERVER_PORT: '9000',
    API_SERVER_KEY: 'from-env',
    API_SERVER_CORS_ORIGINS: 'http://a.test/, http://b.test',
    API_SERVER_MODEL_NAME: ' ',
  }
  const settings = await load(variables, {
    port: 1,
    key: 'from-file',
    cors_origins: ['http://c.test'],
    model_name: 'mine',
    max_concurrent_runs: 0,
  })
  expect(settings).toMatchObject({
    enabled: false,
    host: '0.0.0.0',
    port: 9000,
    key: 'from-env',
    origins: ['http://a.test', 'http://b.test'],
    modelName: 'mine',
    maxRuns: Number.POSITIVE_INFINITY,
  })
})

test('the model is called like the profile', async () => {
  expect((await load({}, {}, 'work')).modelName).toBe('work')
})

test.each([
  ['API_SERVER_PORT', '80x'],
  ['API_SERVER_PORT', '65536'],
  ['API_SERVER_ENABLED', 'perhaps'],
])('%s=%s is refused by name', async (name, value) => {
  await expect(load({ [name]: value })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})

test.each(['0.0.0.0', '::', '192.168.1.5', 'agent.example', '127.0.0.1.evil.test'])('%s needs a key', async (host) => {
  await expect(load({ API_SERVER_HOST: host })).rejects.toMatchObject({ code: 'BIND_UNSAFE', params: { host } })
  expect((await load({ API_SERVER_HOST: host, API_SERVER_KEY: 'k' })).host).toBe(host)
})

test.each(['localhost', '127.0.0.2', '::1'])('%s needs no key', async (host) => {
  expect((await load({ API_SERVER_HOST: host })).key).toBeUndefined()
})

test('a failure to read a variable is not taken for an absent one', async () => {
  const find = (): Promise<string> => Promise.reject(fail('INTERNAL', { detail: 'no store' }))
  await expect(loadSettings(config.parse({}), { find }, 'default')).rejects.toMatchObject({ code: 'INTERNAL' })
})
