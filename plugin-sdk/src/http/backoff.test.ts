import { expect, test } from 'vitest'
import { backoff } from './backoff.ts'

test('climbs the ladder, stays on its last step and adds at most a quarter', () => {
  expect([0, 1, 2, 3, 4, 5, 99].map((attempt) => backoff(attempt, () => 0))).toEqual([2000, 5000, 10_000, 30_000, 60_000, 60_000, 60_000])
  expect(backoff(0, () => 1)).toBe(2500)
  expect(backoff(-1, () => 0)).toBe(2000)
  expect(backoff(1, () => 0.5, [1, 2])).toBe(2250)
  expect(backoff(0, () => 0, [])).toBe(0)
})
