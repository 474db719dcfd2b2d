import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseChange, parseDomains, parseFrames, parseProblem, parseSaid, parseState, parseStates, parseUser } from './wire.ts'

const fixture = readFileSync(new URL('../fixtures/state-changed.json', import.meta.url), 'utf8')

test('an event is read as the vendor shows it, alone and in a batch', () => {
  const [frame] = parseFrames(fixture)
  expect(parseFrames(`[${fixture},{"type":"pong","id":3},${fixture}]`)).toEqual([frame, frame])
  const change = frame?.type === 'event' ? parseChange(frame.event.data) : undefined
  expect(change).toMatchObject({ entity_id: 'light.hall', old_state: { state: 'off' }, new_state: { state: 'on' } })
})

test.each([
  '',
  '{',
  '7',
  'null',
  '[]',
  '{"type":"event"}',
  '{"type":"event","id":1,"event":{"event_type":7}}',
  '{"type":"result","id":"1","success":true}',
  '{"type":"new"}',
])('%j is no frame', (text) => {
  expect(parseFrames(text)).toEqual([])
})

test('what does not fit is nothing', () => {
  expect(parseChange({ entity_id: 'a.b', new_state: null })).toBeUndefined()
  expect(parseSaid({ text: 7 })).toBeUndefined()
  expect(parseUser(null)).toBeUndefined()
  expect(parseState('{"entity_id":"a.b"}')).toBeUndefined()
  expect(parseStates('{}')).toBeUndefined()
  expect(parseDomains('[{"domain":"light"}]')).toBeUndefined()
})

test('a problem is what the server says, as JSON or as text', () => {
  expect(parseProblem('{"message":"Entity not found."}')).toBe('Entity not found.')
  expect(parseProblem('400: Bad Request\n')).toBe('400: Bad Request')
  expect(parseProblem(' ')).toBeUndefined()
})
