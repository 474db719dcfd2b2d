import { expect, test } from 'vitest'
import { createWebhookSender } from '../test/webhook-sender.ts'
import { findMark, findProof } from './signature.ts'

const now = 1_700_000_000_000
const seconds = now / 1000
const text = '{"a":1}'
const request = (headers: Readonly<Record<string, string>>, body = text) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: new TextEncoder().encode(body),
})
const sender = createWebhookSender({ secret: 'secret', now: () => now })

test('the example of GitHub is genuine', () => {
  const headers = { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' }
  const secret = "It's a Secret to Everybody"
  expect(findProof(request(headers, 'Hello, World!'), secret, now)).toBe('github')
  expect(findProof(request(headers, 'Hello, World?'), secret, now)).toBeUndefined()
  expect(findProof(request(headers, 'Hello, World!'), 'another', now)).toBeUndefined()
})

test.each(['webhook', 'svix'])('the example of Standard Webhooks is genuine under %s-*, within five minutes', (prefix) => {
  const headers = {
    [`${prefix}-id`]: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    [`${prefix}-timestamp`]: '1614265330',
    [`${prefix}-signature`]: 'v2,odd v1,bm90IHRoaXMgb25l v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const prove = (at: number, change: Readonly<Record<string, string>> = {}) =>
    findProof(request({ ...headers, ...change }, '{"test": 2432232314}'), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', at * 1000)
  expect(prove(1614265330)).toBe('standard')
  expect(prove(1614265330 + 300)).toBe('standard')
  expect(prove(1614265330 + 301)).toBeUndefined()
  expect(prove(1614265330 - 301)).toBeUndefined()
  expect(prove(1614265330, { [`${prefix}-id`]: 'msg_another' })).toBeUndefined()
  expect(prove(1614265330, { [`${prefix}-id`]: '' })).toBeUndefined()
  expect(prove(1614265330, { [`${prefix}-timestamp`]: '1614265331' })).toBeUndefined()
})

test.each([
  ['github', sender.github(text)],
  ['gitlab', { 'X-Gitlab-Token': 'secret' }],
  ['standard', sender.standard(text)],
  ['standard', sender.standard(text, { prefix: 'svix' })],
  ['generic', sender.generic(text)],
  ['legacy', sender.legacy(text)],
  ['legacy', { 'X-Webhook-Signature': `sha256=${sender.legacy(text)['X-Webhook-Signature']}` }],
  ['bearer', { Authorization: 'Bearer secret' }],
  ['bearer', { Authorization: 'bearer  secret' }],
])('%s proves with the right secret only', (scheme, headers) => {
  expect(findProof(request(headers), 'secret', now)).toBe(scheme)
  expect(findProof(request(headers), 'Secret', now)).toBeUndefined()
})

test.each([
  ['no header', {}],
  ['an empty signature', { 'X-Hub-Signature-256': '' }],
  ['the old signature of GitHub', { 'X-Hub-Signature': 'sha1=0000' }],
  ['another body', sender.github('{"a":2}')],
  ['a signature without its prefix', { 'X-Hub-Signature-256': sender.legacy(text)['X-Webhook-Signature'] ?? '' }],
  ['a password', { Authorization: 'Basic c2VjcmV0' }],
  ['an old time', sender.generic(text, seconds - 301)],
  ['a time to come', sender.generic(text, seconds + 301)],
  ['another time', { ...sender.generic(text), 'X-Webhook-Timestamp': String(seconds + 1) }],
  ['an id that is empty', sender.standard(text, { id: '' })],
  ['a time that is none', { ...sender.generic(text), 'X-Webhook-Timestamp': 'now' }],
  ['a wrong signature beside a right token', { ...sender.github('other'), Authorization: 'Bearer secret' }],
])('%s proves nothing', (_, headers) => {
  expect(findProof(request(headers), 'secret', now)).toBeUndefined()
})

test('a signature that leaves out the id is what a repetition is known by', () => {
  const signed = sender.github(text)
  expect(findMark('github', request(signed))).toBe(signed['X-Hub-Signature-256'])
  expect(findMark('generic', request(sender.generic(text)))).toMatch(/^[\da-f]{64}$/)
  for (const scheme of ['standard', 'gitlab', 'bearer', undefined] as const) expect(findMark(scheme, request(signed))).toBeUndefined()
})
