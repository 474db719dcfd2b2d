import { expect, test } from 'vitest'
import { createCarefulFetch } from './careful-fetch.ts'
import { toStandard } from './to-standard.ts'

const now = 1_800_000_000_000
test.each([
  ['seconds from now on', { access_token: 'a', expired_in: 3600 }, { access_token: 'a', token_type: 'bearer', expires_in: 3600 }],
  ['a time in seconds', { access_token: 'a', expired_in: 1_800_000_060 }, { access_token: 'a', token_type: 'bearer', expires_in: 60 }],
  ['a time in milliseconds', { access_token: 'a', expired_in: now + 60_500 }, { access_token: 'a', token_type: 'bearer', expires_in: 60 }],
  ['a time that is over', { access_token: 'a', expired_in: now - 1 }, { access_token: 'a', token_type: 'bearer', expires_in: 0 }],
  [
    'a code, with pauses in milliseconds',
    { user_code: 'U', interval: 2500, expired_in: 300 },
    { user_code: 'U', device_code: 'U', interval: 3, expires_in: 300 },
  ],
  ['a code of the standard', { user_code: 'U', device_code: 'D', expires_in: 300 }, { user_code: 'U', device_code: 'D', expires_in: 300 }],
  ['a person who has not typed yet', { status: 'pending' }, { error: 'authorization_pending' }],
  ['a refusal', { status: 'error', base_resp: { status_msg: 'No.' } }, { error: 'access_denied', error_description: 'No.' }],
  ['an error of the standard', { status: 'error', error: 'slow_down' }, { status: 'error', error: 'slow_down' }],
])('%s', (_what, body, standard) => {
  expect(toStandard(body, now)).toEqual(standard)
})

const answering = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  (async () => new Response(JSON.stringify(body), { headers })) as typeof fetch
const post = { method: 'POST' }

test('only a vendor of these words is read by them, and times count by its clock', async () => {
  const usual = createCarefulFetch('v', answering({ status: 'pending' }))
  expect(await (await usual('https://v.test', post)).json()).toEqual({ status: 'pending' })
  const own = answering({ access_token: 'a', expired_in: now + 60_000 }, { date: new Date(now).toUTCString() })
  const other = createCarefulFetch('v', own, () => now - 3_600_000)
  expect(await (await other('https://v.test', post)).json()).toMatchObject({ expires_in: 60 })
})
