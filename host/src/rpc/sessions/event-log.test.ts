import { expect, test } from 'vitest'
import type { SessionEvent } from '../protocol.ts'
import { createEventLog } from './event-log.ts'

const say = (text: string): SessionEvent => ({ type: 'message.delta', text })
const textOf = (events: readonly { readonly event: SessionEvent }[]): string =>
  events.map(({ event }) => (event.type === 'message.delta' ? event.text : '|')).join('')
const open = (most: number, after = 0) => createEventLog({ session: 'ses', now: () => 1, after, most })

test('a client that was away gets each event once', () => {
  const log = open(100)
  for (const text of ['a', 'b', 'c']) log.append(say(text))
  expect(log.all().map(({ seq }) => seq)).toEqual([1, 2, 3])
  expect(textOf(log.since(1).events)).toBe('bc')
  expect(log.since(3)).toEqual({ events: [], gap: false })
})

test.each([
  ['that this log has never counted', 9],
  ['of an earlier process', 2],
])('a number %s is a gap', (_what, seq) => {
  const log = open(100, seq === 2 ? 1_000 : 0)
  log.append(say('a'))
  expect(log.since(seq)).toEqual({ events: [], gap: true })
})

test('old deltas are joined before anything is lost, and a number between them is a gap', () => {
  const log = open(10)
  log.append({ type: 'session.title', title: 'T' })
  for (const text of 'abcdefghij') log.append(say(text))
  expect(textOf(log.all())).toBe('|abcdefghij')
  expect(log.all().length).toBeLessThan(11)
  expect(log.isWhole()).toBe(true)
  expect(log.since(3).gap).toBe(true)
  expect(textOf(log.since(8).events)).toBe('hij')
  expect(textOf(log.since(1).events)).toBe('abcdefghij')
})

test('what cannot be joined goes, the oldest first, and that is told', () => {
  const log = open(10)
  for (let count = 0; count < 30; count++) log.append({ type: 'session.title', title: String(count) })
  expect(log.all().length).toBeLessThanOrEqual(10)
  expect(log.all().at(-1)?.seq).toBe(30)
  expect(log.isWhole()).toBe(false)
  expect(log.since(1).gap).toBe(true)
})

test('its size is bounded, too, and the newest event stays whatever its size', () => {
  const log = createEventLog({ session: 'ses', now: () => 1, after: 0, mostSize: 1_000 })
  for (let count = 0; count < 9; count++) log.append({ type: 'session.title', title: 'x'.repeat(400) })
  expect(log.all().length).toBeLessThan(4)
  log.append({ type: 'session.title', title: 'x'.repeat(4_000) })
  expect(log.all().map(({ seq }) => seq)).toEqual([10])
})
