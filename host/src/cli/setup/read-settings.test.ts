import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import { readSettings } from './read-settings.ts'

const setting = (key: string) => ({ key, prompt: key, schema: { type: 'string' } })
const form = {
  ...{ id: 'talk', fields: [{ name: 'TALK_TOKEN', secret: true, required: true }], settings: [setting('server'), setting('pass_token')] },
  access: { allowed: 'TALK_ALLOWED_USERS', everybody: 'TALK_ALLOW_ALL_USERS', home: 'TALK_HOME_CHANNEL' },
} as unknown as PlatformForm

function read(written: readonly string[], piped = '') {
  const input = new PassThrough()
  input.end(piped)
  return readSettings({ environment: { TALK_TOKEN: 'right' }, input }, form, written)
}

test('variables and required keys are told apart, and a secret among the keys is piped in', async () => {
  expect(await read(['TALK_TOKEN', 'extra.server=there', 'extra.pass_token=-'], 'word\n')).toEqual({
    ...{ values: { TALK_TOKEN: 'right' }, extra: { server: 'there', pass_token: 'word' } },
  })
})

test.each([
  [
    'extra.pass_token',
    'There is no value for extra.pass_token. Try: agent gateway setup talk --set extra.pass_token=- with the value piped in',
  ],
  ['extra.pass_token=word', 'read by every program of this machine. Try: --set extra.pass_token=- with the value piped in'],
  ['extra.server', 'There is no value for extra.server. Try: agent gateway setup talk --set extra.server=…'],
  [
    'TALK_HOME_CHANNEL',
    'There is no value for TALK_HOME_CHANNEL. Try: TALK_HOME_CHANNEL=… agent gateway setup talk --set TALK_HOME_CHANNEL',
  ],
  ['TALK_TOKEN=word', 'Try: --set TALK_TOKEN with TALK_TOKEN in the environment, or --set TALK_TOKEN=- with the value piped in'],
  ['extra.sever=x', 'Did you mean "extra.server"?'],
])('%s is refused with a way that works', async (written, sentence) => {
  await expect(read([written])).rejects.toThrow(sentence)
})
