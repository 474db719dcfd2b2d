import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

const tooMany = expect.objectContaining({ code: 'HTTP_TOO_MANY', params: { limit: 1 }, retryAfterMs: 1_000 })

test('a place over the limit is refused for a second, until one is given back', () => {
  const slots = createSlots(1, { now: () => 0 })
  const { release } = slots.take()
  expect(() => slots.take()).toThrow(tooMany)
  release()
  slots.take()
  expect(slots.running).toBe(1)
})

test('where all are taken, the turn whose reader has not read for longest gives way', () => {
  let now = 0
  const slots = createSlots(2, { now: () => now })
  const ended: string[] = []
  const [one, other] = [slots.take(), slots.take()]
  other.unread(() => ended.push('other'))
  one.unread(() => ended.push('one'))
  now = 99
  expect(() => slots.take()).toThrow(expect.objectContaining({ code: 'HTTP_TOO_MANY' }))
  now = 100
  slots.take()
  expect(ended).toEqual(['other'])
  // Its turn ends later, and gives nothing back that it has no more.
  other.release()
  expect(slots.running).toBe(2)
  slots.take()
  expect(ended).toEqual(['other', 'one'])
})

test('a reader that reads on keeps its place', () => {
  let now = 0
  const slots = createSlots(1, { now: () => now })
  const readOn = slots.take().unread(() => expect.unreachable())
  now = 200
  readOn()
  expect(() => slots.take()).toThrow(tooMany)
})
