import { expect, test } from 'vitest'
import { config as schema } from './config.ts'
import { loadSettings, type Settings } from './settings.ts'

function load(variables: Record<string, string>, config: object = {}): Promise<Settings> {
  const all: Record<string, string> = { SIGNAL_ACCOUNT: '+43123456789', ...variables }
  return loadSettings(schema.parse(config), { find: async (name) => all[name], get: async (name) => all[name] ?? '' })
}

test('the daemon listens on this machine unless it is said otherwise; a variable beats its key', async () => {
  expect(await load({})).toEqual({ url: 'http://127.0.0.1:8080', number: '+43123456789' })
  expect(await load({ SIGNAL_ACCOUNT: ' +43 (1) 234-567 ' }, { http_url: 'http://s:1/' })).toEqual({
    url: 'http://s:1',
    number: '+431234567',
  })
  expect(await load({ SIGNAL_HTTP_URL: 'https://v:2/signal/' }, { http_url: 'http://s:1' })).toMatchObject({ url: 'https://v:2/signal' })
})

test.each([
  [{ SIGNAL_ACCOUNT: '0123456789' }],
  [{ SIGNAL_ACCOUNT: '' }],
  [{ SIGNAL_ACCOUNT: '+43&account=x' }],
  [{ SIGNAL_HTTP_URL: 'localhost:8080' }],
  [{ SIGNAL_HTTP_URL: 'http://a:b@c' }],
  [{ SIGNAL_HTTP_URL: 'http://c/?x' }],
])('%j is refused', async (variables: Record<string, string>) => {
  await expect(load(variables)).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name: Object.keys(variables)[0] } })
})
