import { expect, test } from 'vitest'
import { freeNumber } from './children.ts'

test('a number of a child agent belongs to no other one that works in the session', () => {
  expect(freeNumber([], 3)).toBe(3)
  expect(freeNumber([{ number: 1 }, { number: 4 }], 2)).toBe(2)
  expect(freeNumber([{ number: 1 }, { number: 4 }], 1)).toBe(5)
})
