import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

const right = { SLACK_BOT_TOKEN: 'xoxb-one', SLACK_APP_TOKEN: 'xapp-one' }

function load(variables: Record<string, string>, given: Record<string, unknown> = {}) {
  const secrets = {
    find: async (name: string) => variables[name],
    get: async (name: string) => variables[name] ?? Promise.reject(new Error(`${name} is missing`)),
  }
  return loadSettings(config.parse(given), secrets)
}

test('several workspaces have several tokens', async () => {
  const settings = await load({ ...right, SLACK_BOT_TOKEN: ' xoxb-one, xoxe.xoxb-two ,xoxb-one' })
  expect(settings).toMatchObject({ botTokens: ['xoxb-one', 'xoxe.xoxb-two'], appToken: 'xapp-one', api_url: 'https://slack.com/api' })
})

test('a variable beats the key of the address', async () => {
  const given = { api_url: 'https://key.example/api/' }
  expect((await load(right, given)).api_url).toBe('https://key.example/api')
  expect((await load({ ...right, SLACK_API_URL: 'http://127.0.0.1:1/api/' }, given)).api_url).toBe('http://127.0.0.1:1/api')
})

test.each([
  ['SLACK_BOT_TOKEN', 'xapp-mixed-up'],
  ['SLACK_BOT_TOKEN', 'xoxb-one,oops'],
  ['SLACK_BOT_TOKEN', 'xoxb-with space'],
  ['SLACK_APP_TOKEN', 'xoxb-mixed-up'],
  ['SLACK_API_URL', 'slack.com/api'],
  ['SLACK_API_URL', 'https://user:pass@slack.com/api'],
  ['SLACK_API_URL', 'https://slack.com/api?x=1'],
])('%s cannot be %j, and its value is not told', async (name, value) => {
  const refusal = await load({ ...right, [name]: value }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'ENV_INVALID', params: { name } })
  expect(String(refusal)).not.toContain(value)
})

test('without tokens it says which is missing', async () => {
  await expect(load({ SLACK_APP_TOKEN: 'xapp-one' })).rejects.toThrow('SLACK_BOT_TOKEN is missing')
  await expect(load({ SLACK_BOT_TOKEN: 'xoxb-one' })).rejects.toThrow('SLACK_APP_TOKEN is missing')
})
