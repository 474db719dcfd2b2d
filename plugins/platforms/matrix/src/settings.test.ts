import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

const right = { MATRIX_HOMESERVER: 'https://matrix.example/', MATRIX_ACCESS_TOKEN: 'syt_one' }

function load(variables: Record<string, string>, given: Record<string, unknown> = {}) {
  const secrets = {
    find: async (name: string) => variables[name],
    get: async (name: string) => variables[name] ?? Promise.reject(new Error(`${name} is missing`)),
  }
  return loadSettings(config.parse(given), secrets)
}

test('a token is enough, and so are name and password', async () => {
  expect(await load(right)).toMatchObject({
    homeserver: 'https://matrix.example',
    token: 'syt_one',
    autoThread: true,
    processNotices: false,
  })
  const named = { MATRIX_HOMESERVER: 'http://127.0.0.1:8008', MATRIX_USER_ID: '@agent:example.org', MATRIX_PASSWORD: ' with spaces ' }
  expect(await load(named)).toMatchObject({ token: undefined, user: '@agent:example.org', password: ' with spaces ' })
})

test('a variable beats its key, and lists of inviters add up', async () => {
  const given = { auto_thread: false, process_notices: true, invites_from: ['@ann:a'] }
  expect(await load(right, given)).toMatchObject({ autoThread: false, processNotices: true, invitesFrom: new Set(['@ann:a']) })
  const variables = { ...right, MATRIX_AUTO_THREAD: 'yes', MATRIX_PROCESS_NOTICES: 'no', MATRIX_INVITES_FROM: '@bob:b, @ann:a' }
  expect(await load(variables, given)).toMatchObject({
    autoThread: true,
    processNotices: false,
    invitesFrom: new Set(['@ann:a', '@bob:b']),
  })
})

test.each([
  ['MATRIX_HOMESERVER', 'matrix.example'],
  ['MATRIX_HOMESERVER', 'https://user:pass@matrix.example'],
  ['MATRIX_HOMESERVER', 'https://matrix.example/?x'],
  ['MATRIX_ACCESS_TOKEN', 'two words'],
  ['MATRIX_USER_ID', 'agent'],
  ['MATRIX_AUTO_THREAD', 'perhaps'],
])('%s cannot be %j, and its value is not told', async (name, value) => {
  const refusal = await load({ ...right, [name]: value }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'ENV_INVALID', params: { name } })
  expect(String(refusal)).not.toContain(`: ${value}`)
})

test.each([
  [{ MATRIX_ACCESS_TOKEN: 'syt_one' }, 'MATRIX_HOMESERVER is missing'],
  [{ MATRIX_HOMESERVER: 'https://matrix.example' }, 'MATRIX_ACCESS_TOKEN is missing'],
  [{ MATRIX_HOMESERVER: 'https://matrix.example', MATRIX_USER_ID: '@agent:a' }, 'MATRIX_ACCESS_TOKEN is missing'],
])('with %j alone it says what is missing', async (variables, problem) => {
  await expect(load(variables)).rejects.toThrow(problem)
})
