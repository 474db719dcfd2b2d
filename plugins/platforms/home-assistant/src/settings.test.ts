import { expect, test } from 'vitest'
import { loadSettings } from './settings.ts'

const load = (HASS_URL?: string, HASS_TOKEN = ' token ') => loadSettings({ find: async () => HASS_URL, get: async () => HASS_TOKEN })

test.each([
  [undefined, 'http://homeassistant.local:8123'],
  ['https://house.example', 'https://house.example'],
  [' http://10.0.0.2:8123/ ', 'http://10.0.0.2:8123'],
  ['http://proxy/house//', 'http://proxy/house'],
])('the address %j is %s', async (written, url) => {
  expect(await load(written)).toEqual({ url, token: 'token' })
})

test.each(['house', 'ws://house', 'http://ann:secret@house', 'http://house?a=b', 'http://'])('%s is no address', async (written) => {
  await expect(load(written)).rejects.toMatchObject({ code: 'ENV_INVALID', params: { name: 'HASS_URL' } })
})

test('a token with white space in it is refused and not shown', async () => {
  const refusal = await load(undefined, 'two words').catch((error: Error) => error)
  expect(refusal).toMatchObject({ code: 'ENV_INVALID', params: { name: 'HASS_TOKEN' } })
  expect(String(refusal)).not.toContain('two words')
})
