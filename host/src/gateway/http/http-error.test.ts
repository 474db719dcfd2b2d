import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { errorReply } from './http-error.ts'

const read = (error: unknown) => {
  const { status, headers = {}, body } = errorReply(error)
  return { status, headers, ...(JSON.parse(String(body)) as { error: object }) }
}

test('an error is told as clients of the API read it, with whose fault it is and when to come again', () => {
  const crowded = read(fail('HTTP_CROWDED', undefined, { retryAfterMs: 4_001 }))
  expect([crowded.status, crowded.headers['retry-after'], crowded.error]).toEqual([
    503,
    '5',
    { message: fail('HTTP_CROWDED').message, type: 'server_error', param: null, code: 'crowded' },
  ])
  const large = read(fail('HTTP_BODY_TOO_LARGE', { limit: 7 }))
  expect([large.status, large.error]).toEqual([413, expect.objectContaining({ type: 'invalid_request_error', code: 'body_too_large' })])
  expect(large.headers).toEqual({
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  expect(read(new Error('broken'))).toMatchObject({ status: 500, error: { type: 'server_error', code: 'internal' } })
})
