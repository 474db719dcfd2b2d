import { expect, test } from 'vitest'
import { createReceipts, describeError, isBeforeSending, parseRetryAfter } from './receipts.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

test.each([
  ['7', 7000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', 5000],
  [undefined, 5000],
])('Retry-After %j is %i ms', (value, ms) => {
  expect(parseRetryAfter(new Headers(value === undefined ? {} : { 'Retry-After': value }), now)).toBe(ms)
})

test('the cause of a failed fetch is what is told', () => {
  const cause = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
  expect(describeError(new TypeError('fetch failed', { cause }))).toEqual({ detail: 'ECONNREFUSED', code: 'ECONNREFUSED' })
  expect(describeError(new Error('plain'))).toEqual({ detail: 'plain', code: '' })
  expect(describeError('odd')).toMatchObject({ detail: 'odd' })
})

test('only what failed before the first byte cannot have arrived', () => {
  const failed = (code: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  expect(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'].map((code) => isBeforeSending(failed(code)))).toEqual(
    Array(4).fill(true),
  )
  expect(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', ''].map((code) => isBeforeSending(failed(code)))).toEqual(
    Array(4).fill(false),
  )
})

test('a receipt names the platform and what it said', () => {
  const { sent, refused, unknown, notSent } = createReceipts('Chat')
  expect(sent('7')).toEqual({ status: 'sent', platformId: '7' })
  expect(refused('too long')).toEqual({
    status: 'refused',
    error: { code: 'SEND_REFUSED', params: { platform: 'Chat', detail: 'too long' } },
  })
  expect(refused('slower', 900)).toMatchObject({ status: 'refused', error: { retryAfterMs: 900 } })
  expect(unknown('cut')).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
  expect(notSent('no route')).toMatchObject({ code: 'PLATFORM_UNREACHABLE', params: { platform: 'Chat', detail: 'no route' } })
})
