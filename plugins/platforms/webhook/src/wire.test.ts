import { expect, test } from 'vitest'
import { findEvent, findId, parsePayload } from './wire.ts'

const request = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) => ({
  headers,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})
const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }

test.each([
  ['JSON', request('{"a":[1,"ä"]}'), { a: [1, 'ä'] }],
  ['a form', request('a=1&b=x+y', form), { a: '1', b: 'x y' }],
  ['JSON in a form, as GitHub can send it', request(`payload=${encodeURIComponent('{"a":1}')}`, form), { a: 1 }],
  ['broken JSON', request('{"a":'), undefined],
  ['broken JSON in a form', request('payload=%7B', form), undefined],
  ['nothing', request(''), undefined],
  ['bytes that are no text', request(Uint8Array.from([0x22, 0xff, 0x22])), undefined],
])('%s is read', (_, given, payload) => {
  expect(parsePayload(given)).toEqual(payload)
})

test.each([
  ['issues', { 'x-github-event': 'issues' }, { type: 'x' }],
  ['Push Hook', { 'x-gitlab-event': 'Push Hook' }, {}],
  ['a', {}, { event_type: 'a', event: 'b', type: 'c' }],
  ['b', {}, { event: 'b', type: 'c' }],
  ['c', {}, { event_type: '', type: 'c' }],
  ['unknown', {}, { type: 7 }],
  ['unknown', {}, []],
])('the event is %s', (event, headers, payload) => {
  expect(findEvent(request('', headers), payload)).toBe(event)
})

test('an id is the sender’s, in a fixed order, and a long one is shortened', () => {
  const headers = { 'x-request-id': 'd', 'webhook-id': 'c', 'svix-id': 'b', 'x-github-delivery': 'a' }
  expect(findId(request('', headers), 'r', '')).toBe('a')
  expect(findId(request('', { ...headers, 'x-github-delivery': '', 'svix-id': '' }), 'r', '')).toBe('c')
  expect(findId(request('', { 'x-request-id': 'x'.repeat(201) }), 'r', '')).toMatch(/^[\da-f]{40}$/)
})

test('without one it is made of route, time and body', () => {
  const id = (body: string, headers = {}, route = 'r', moment = ''): string => findId(request(body, headers), route, moment)
  expect(id('a')).toBe(id('a'))
  const all = [id('a'), id('b'), id('a', { 'x-webhook-timestamp': '1' }), id('a', {}, 'q'), id('a', {}, 'r', '5')]
  expect(new Set(all).size).toBe(all.length)
  expect(id('a', { 'x-webhook-timestamp': '1' }, 'r', '5')).toBe(id('a', { 'x-webhook-timestamp': '1' }, 'r', '6'))
})
