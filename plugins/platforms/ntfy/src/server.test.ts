import { expect, test } from 'vitest'
import { describeRefusal } from './server.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

const problem = (error: string): string => JSON.stringify({ code: 40000, http: 400, error })

test.each([
  [401, problem('unauthorized'), 'PLATFORM_AUTH', { detail: 'unauthorized' }],
  [403, problem('forbidden'), 'PLATFORM_AUTH', { detail: 'forbidden' }],
  [429, '', 'PLATFORM_UNREACHABLE', { detail: 'it answered 429' }],
  [404, '<h1>Not found</h1>', 'ENV_INVALID', { name: 'NTFY_SERVER_URL', problem: 'leads to no ntfy server: it answered 404' }],
  [301, '', 'ENV_INVALID', { name: 'NTFY_SERVER_URL', problem: 'leads to no ntfy server: it sends on to https://new.test/t/json' }],
  [400, problem('disallowed'), 'ENV_INVALID', { name: 'NTFY_TOPIC', problem: 'is not taken by the server: disallowed' }],
  [502, 'Bad Gateway', 'PLATFORM_UNREACHABLE', { detail: 'it answered 502' }],
])('%i to a subscription with %j is %s', async (status, body, code, params) => {
  const headers = new Headers(status === 301 ? { Location: 'https://new.test/t/json' } : { 'Retry-After': '3' })
  const error = await describeRefusal(new Response(body, { status, headers }), now)
  expect(error).toMatchObject({ code, params })
  expect(error.retryAfterMs).toBe(status === 429 ? 3000 : undefined)
})
