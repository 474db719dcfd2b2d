import { expect, test } from 'vitest'
import { fail, fromWireError, toWireError } from './errors.ts'
import { hideInUrls } from './hide-in-urls.ts'

test.each([
  ['http://user:pass@host:8080/v1', 'http://[secret]@host:8080/v1'],
  ['see https://sk-token@host and socks5://a:b@c@d:1.', 'see https://[secret]@host and socks5://[secret]@d:1.'],
  ['https://host/hook?a=1&api_key=sk-1#x', 'https://host/hook?a=1&api_key=[secret]#x'],
  ['"wss://host/?access_token=abc"', '"wss://host/?access_token=[secret]"'],
  ['mail to name@host, https://host/a@b?keyboard=1', 'mail to name@host, https://host/a@b?keyboard=1'],
])('%s', (text, shown) => {
  expect(hideInUrls(text)).toBe(shown)
})

test('no error of the program shows them, on this side of a border or the other', () => {
  const error = fail('INTERNAL', { detail: 'http://user:hunter2@host is gone' })
  expect(error.message).toContain('http://[secret]@host')
  expect(JSON.stringify(toWireError(error))).not.toContain('hunter2')
  expect(fromWireError(toWireError(error)).message).toBe(error.message)
})

test('an error that was not made by fail hides them as well once it is told', () => {
  const error = { code: 'MODEL_DISCONNECTED', params: { provider: 'mine', detail: 'no https://me:secret@host/v1?api_key=abc' } }
  const told = fromWireError(error)
  expect(told.message).toContain('https://[secret]@host/v1?api_key=[secret]')
  expect(JSON.stringify(toWireError(told))).not.toContain('me:secret')
  expect(fromWireError({ ...error, code: 'OF_A_NEWER_PLUGIN' }).message).not.toContain('me:secret')
})
