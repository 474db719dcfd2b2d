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

test('a crowd of callers is not remembered for ever', () => {
  const limit = createRateLimit({ clock: { now: () => 0 }, perMinute: 1 })
  for (let caller = 0; caller < 10_000; caller++) expect(limit.take(String(caller))).toBe(0)
  expect(limit.take('9999')).toBeGreaterThan(0)
})
