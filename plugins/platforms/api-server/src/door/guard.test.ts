import type { HttpRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { guardKey, guardOrigin, preflight } from './guard.ts'

const keyless = { key: undefined, origins: ['http://page.test'] }

const asked = (headers: Record<string, string>): HttpRequest => ({ method: 'POST', url: '/', headers, body: new Uint8Array(0), remote: '' })

test('a wrong key is refused, and no key where one is set', () => {
  for (const headers of [{}, { authorization: 'Bearer other' }]) {
    expect(() => guardKey(asked(headers), { key: 'k', origins: [] })).toThrow(expect.objectContaining({ code: 'HTTP_KEY_INVALID' }))
  }
})

test('without a key, a host that others reach is refused by its name', () => {
  expect(() => guardOrigin(asked({ host: 'evil.test:8642' }), keyless)).toThrow(
    expect.objectContaining({ code: 'HTTP_HOST', params: { host: 'evil.test:8642' } }),
  )
})

test('an origin that is not listed is refused by its name, asking first or not', () => {
  const request = asked({ host: 'localhost', origin: 'http://evil.test' })
  const refused = expect.objectContaining({ code: 'HTTP_ORIGIN', params: { origin: 'http://evil.test' } })
  expect(() => guardOrigin(request, keyless)).toThrow(refused)
  expect(() => preflight(request, keyless)).toThrow(refused)
})
