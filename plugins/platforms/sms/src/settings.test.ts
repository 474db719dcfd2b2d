import { expect, test } from 'vitest'
import { config } from './config.ts'
import { loadSettings } from './settings.ts'

const sid = `AC${'0'.repeat(32)}`
const needed = {
  TWILIO_ACCOUNT_SID: sid,
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_PHONE_NUMBER: '+1 (555) 000-1111',
  SMS_WEBHOOK_URL: 'https://agent.example.org/sms',
}

function load(values: Readonly<Record<string, string>>, extra: unknown = {}) {
  const all: Record<string, string> = { ...needed, ...values }
  return loadSettings(config.parse(extra), { get: async (name) => all[name] ?? '', find: async (name) => all[name] || undefined })
}

test('four variables are enough', async () => {
  expect(await load({})).toEqual({
    accountSid: sid,
    authToken: 'token',
    number: '+15550001111',
    baseUrl: 'https://api.twilio.com',
    webhookUrl: 'https://agent.example.org/sms',
  })
})

test('a variable beats its key', async () => {
  const extra = { base_url: 'https://api.dublin.ie1.twilio.com/', webhook_url: 'https://other.example.org' }
  expect(await load({}, extra)).toMatchObject({ baseUrl: 'https://api.dublin.ie1.twilio.com', webhookUrl: needed.SMS_WEBHOOK_URL })
  expect(await load({ SMS_WEBHOOK_URL: '' }, extra)).toMatchObject({ webhookUrl: 'https://other.example.org' })
})

test('signatures are checked unless that is switched off by name', async () => {
  await expect(load({ SMS_WEBHOOK_URL: '' })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name: 'SMS_WEBHOOK_URL' } })
  await expect(load({ SMS_WEBHOOK_URL: '', SMS_INSECURE_NO_SIGNATURE: 'false' })).rejects.toMatchObject({ code: 'ENV_INVALID' })
  expect(await load({ SMS_WEBHOOK_URL: '', SMS_INSECURE_NO_SIGNATURE: 'true' })).toMatchObject({ webhookUrl: undefined })
})

test.each([
  ['TWILIO_ACCOUNT_SID', 'SK0123'],
  ['TWILIO_AUTH_TOKEN', ' '],
  ['TWILIO_AUTH_TOKEN', 'two words'],
  ['TWILIO_PHONE_NUMBER', '0555 1111111'],
  ['SMS_WEBHOOK_URL', 'agent.example.org'],
  ['SMS_INSECURE_NO_SIGNATURE', 'maybe'],
])('%s = "%s" is refused', async (name, value) => {
  await expect(load({ [name]: value })).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name } })
})

test('an address that is none is refused by the shape of the configuration', () => {
  expect(config.safeParse({ base_url: 'api.twilio.com' }).success).toBe(false)
})
