import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

const needed = { WHATSAPP_CLOUD_PHONE_NUMBER_ID: '106540352242922', WHATSAPP_CLOUD_ACCESS_TOKEN: 'EAAG' }

function load(values: Readonly<Record<string, string>>, extra: unknown = {}) {
  const all: Record<string, string> = { ...needed, ...values }
  return loadSettings(config.parse(extra), { get: async (name) => all[name] ?? '', find: async (name) => all[name] || undefined })
}

test('an id and a token are enough to send', async () => {
  expect(await load({})).toEqual({
    phoneNumberId: '106540352242922',
    accessToken: 'EAAG',
    appSecret: undefined,
    verifyToken: undefined,
    wabaId: undefined,
    graphUrl: 'https://graph.facebook.com/v24.0',
  })
})

test('a variable beats its key', async () => {
  const extra = { base_url: 'http://127.0.0.1:1/', api_version: 'v20.0', waba_id: '1' }
  expect(await load({}, extra)).toMatchObject({ graphUrl: 'http://127.0.0.1:1/v20.0', wabaId: '1' })
  const variables = { WHATSAPP_CLOUD_API_VERSION: 'v25.0', WHATSAPP_CLOUD_WABA_ID: '2' }
  expect(await load(variables, extra)).toMatchObject({ graphUrl: 'http://127.0.0.1:1/v25.0', wabaId: '2' })
})

test.each([
  ['WHATSAPP_CLOUD_PHONE_NUMBER_ID', '+1 555 000 1111'],
  ['WHATSAPP_CLOUD_PHONE_NUMBER_ID', '15550001111'],
  ['WHATSAPP_CLOUD_PHONE_NUMBER_ID', '106540352242922123'],
  ['WHATSAPP_CLOUD_ACCESS_TOKEN', 'two words'],
  ['WHATSAPP_CLOUD_ACCESS_TOKEN', ''],
  ['WHATSAPP_CLOUD_API_VERSION', '24'],
])('%s = "%s" is refused', async (name, value) => {
  await expect(load({ [name]: value })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})

test('addresses and versions that are none are refused by the shape of the configuration', () => {
  for (const extra of [{ base_url: 'graph.facebook.com' }, { api_version: '24.0' }]) expect(config.safeParse(extra).success).toBe(false)
})
