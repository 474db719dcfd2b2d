import { expect, test } from 'vitest'
import { parseEnvelope, parseProblem, payloads, readJson, replies } from './wire.ts'

test.each(['', 'null', '[]', '{"type":1}', '{"envelope_id":"x"}', '<html>'])('%j is no envelope', (text) => {
  expect(parseEnvelope(text)).toBeUndefined()
})

test('of an envelope of a kind that is not known the kind is read', () => {
  expect(parseEnvelope('{"type":"new_kind","envelope_id":"e","payload":{"a":1},"x":2}')).toEqual({
    type: 'new_kind',
    envelope_id: 'e',
    payload: { a: 1 },
  })
})

test.each([
  {},
  { team_id: 'T', event: { type: 'reaction_added' } },
  { team_id: 'T', event: { type: 'message', channel: 1, ts: '1' } },
  null,
  'text',
])('%j tells of no message', (payload) => {
  expect(payloads.event.safeParse(payload).success).toBe(false)
})

test.each([
  [
    '{"ok":false,"error":"missing_scope","needed":"reactions:write","provided":"chat:write"}',
    { error: 'missing_scope', detail: 'missing_scope (it needs reactions:write)' },
  ],
  ['{"ok":false,"error":"channel_not_found"}', { error: 'channel_not_found', detail: 'channel_not_found' }],
  ['{"ok":true,"error":"none"}', undefined],
  ['<h1>Bad Gateway</h1>', undefined],
])('the problem in %s', (body, problem) => {
  expect(parseProblem(body)).toEqual(problem)
})

test('an answer without what was asked for is none', () => {
  expect(readJson(replies.posted, '{"ok":true}')).toBeUndefined()
  expect(readJson(replies.posted, '{"ok":true,"ts":"1.2"}')).toEqual({ ts: '1.2' })
})
