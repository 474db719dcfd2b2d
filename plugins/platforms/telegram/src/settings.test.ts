import { expect, test } from 'vitest'
import { openRig } from '../test/rig.ts'
import { config as schema } from './config.ts'
import { loadSettings, type Settings } from './settings.ts'

const token = '123:abc-DEF_9'
const secret = 'a-secret-of-16-and-more'

async function load(config: object = {}, secrets: Record<string, string> = {}): Promise<Settings> {
  const all: Record<string, string> = { TELEGRAM_BOT_TOKEN: token, ...secrets }
  const find = async (name: string): Promise<string | undefined> => all[name]
  return loadSettings(schema.parse(config), { find, get: async (name) => all[name] ?? Promise.reject(new Error(`${name} is missing`)) })
}

test('without settings the bot polls the public Bot API and marks nothing', async () => {
  expect(await load()).toEqual({
    token,
    baseUrl: 'https://api.telegram.org',
    baseFileUrl: 'https://api.telegram.org/file',
    webhook: undefined,
    dropPending: true,
    reactions: false,
    linkPreviews: true,
    mostCommands: 60,
  })
})

test('a server of one’s own, and a place for files', async () => {
  expect(await load({ base_url: 'http://10.0.0.2:8081/' })).toMatchObject({
    baseUrl: 'http://10.0.0.2:8081',
    baseFileUrl: 'http://10.0.0.2:8081/file',
  })
  expect(await load({ base_file_url: 'https://files.test/x' })).toMatchObject({ baseFileUrl: 'https://files.test/x' })
})

test('variables beat keys', async () => {
  const webhook = { TELEGRAM_WEBHOOK_URL: 'https://a.test/webhooks/telegram', TELEGRAM_WEBHOOK_SECRET: secret }
  expect(await load({ webhook_url: 'https://b.test', reactions: false }, { ...webhook, TELEGRAM_REACTIONS: 'yes' })).toMatchObject({
    webhook: { url: 'https://a.test/webhooks/telegram', secret },
    reactions: true,
  })
})

test('there is no webhook without a secret', async () => {
  await expect(load({ webhook_url: 'https://b.test' })).rejects.toThrow('TELEGRAM_WEBHOOK_SECRET is missing')
  for (const wrong of ['', 'short', `${secret} `.repeat(3), 'ümläute-in-a-secret']) {
    await expect(load({ webhook_url: 'https://b.test' }, { TELEGRAM_WEBHOOK_SECRET: wrong })).rejects.toMatchObject({
      code: 'ENV_INVALID',
      params: { name: 'TELEGRAM_WEBHOOK_SECRET' },
    })
  }
})

test.each([
  [{ TELEGRAM_BOT_TOKEN: 'abc' }, {}],
  [{ TELEGRAM_BOT_TOKEN: '1:a/../../x' }, {}],
  [{ TELEGRAM_REACTIONS: 'maybe' }, {}],
  [{}, { base_url: 'ftp://x' }],
  [{}, { base_url: 'https://user@x.test' }],
  [{}, { base_file_url: 'files' }],
])('%j and %j are refused, without the token in the words', async (secrets: Record<string, string>, config) => {
  const error: unknown = await load(config, secrets).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'ENV_INVALID' })
  expect(String(error)).not.toContain(secrets.TELEGRAM_BOT_TOKEN ?? token)
})

test('a missing secret is told by name when the bot connects', async () => {
  await using rig = await openRig({ config: { webhook_url: 'https://b.test' } })
  await expect(rig.connect()).rejects.toMatchObject({ code: 'ENV_MISSING', params: { name: 'TELEGRAM_WEBHOOK_SECRET' } })
})
