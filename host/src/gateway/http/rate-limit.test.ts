import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

test('a caller may come so often within a minute, and again after it; others are not held up', () => {
  let now = 1000
  const limit = createRateLimit({ clock: { now: () => now }, perMinute: 2 })
  expect([limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 0, 0])
  now += 20_000
  expect(limit.take('a')).toBe(40_000)
  expect(limit.take('b')).toBe(0)
  now += 40_000
  expect(limit.take('a')).toBe(0)
})

test('of a crowd those whose minute began first are forgotten', () => {
  let now = 0
  const limit = createRateLimit({ clock: { now: () => now }, perMinute: 1 })
  for (const caller of ['early', 'first']) limit.take(caller)
  now = 60_000
  for (let n = 0; n < 4094; n++) limit.take(`${n}`)
  // Of two that came together once, this one came again.
  expect([limit.take('early'), limit.take('0')]).toEqual([0, 60_000])
  for (const caller of ['new', 'newer']) limit.take(caller)
  expect(['1', 'early', 'new', 'newer'].map((caller) => limit.take(caller))).toEqual([60_000, 60_000, 60_000, 60_000])
  expect(limit.take('0')).toBe(0)
})
