import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseEvent, parseProblem, parseReaction, parseSaid, parseStripped, readJson, replies } from './wire.ts'

const event = { type: 'm.room.message', sender: '@ann:test', event_id: '$1', origin_server_ts: 1, content: { body: 'x' } }

test('of an event the fields are taken that are read', () => {
  expect(parseEvent({ ...event, room_id: '!r', unsigned: { age: 4 } })).toEqual({ ...event, unsigned: {} })
})

test.each([null, [], 'x', {}, { ...event, sender: 1 }, { ...event, event_id: undefined }, { ...event, content: 'x' }])(
  '%j is no event',
  (value) => {
    expect(parseEvent(value)).toBeUndefined()
  },
)

test.each([{}, { body: 1 }, { body: 'x', 'm.relates_to': 'x' }, { body: 'x', info: { size: 'big' } }, null])(
  '%j says nothing',
  (content) => {
    expect(parseSaid(content)).toBeUndefined()
  },
)

test('a reaction names what it belongs to', () => {
  expect(parseReaction({ 'm.relates_to': { rel_type: 'm.annotation', event_id: '$1', key: '✅' } })).toMatchObject({ key: '✅' })
  expect(parseReaction({ body: 'x' })).toBeUndefined()
})

test('the problem of a refusal is read', () => {
  expect(parseProblem('{"errcode":"M_LIMIT_EXCEEDED","error":"Too Many Requests","retry_after_ms":1500}')).toMatchObject({
    retry_after_ms: 1500,
  })
  expect(parseProblem('<html>502</html>')).toBeUndefined()
  expect(readJson(replies.sync, '{"rooms":{}}')).toBeUndefined()
})

test('an answer to a poll is read', () => {
  const sync = readJson(replies.sync, readFileSync(new URL('../fixtures/sync.json', import.meta.url), 'utf8'))
  const { timeline } = sync?.rooms?.join?.['!726s6s6q:test'] ?? {}
  expect(timeline).toMatchObject({ limited: true, prev_batch: 't34-23535_0_0' })
  expect(timeline?.events.map(parseEvent).map((one) => one?.type)).toEqual(['m.room.member', 'm.room.message'])
  expect(parseSaid(parseEvent(timeline?.events[1])?.content)?.body).toBe('This is an example text message')
  const states = sync?.rooms?.invite?.['!696r7674:test']?.invite_state?.events.map(parseStripped)
  expect(states?.at(-1)).toMatchObject({ sender: '@bob:test', content: { membership: 'invite' } })
})
