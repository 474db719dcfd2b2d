import { expect, test } from 'vitest'
import { keepShortly } from './keep-shortly.ts'

test('what was read is asked for again after a second, under another key, and where the clock goes back', () => {
  let [at, key, reads] = [10_000, 'a', 0]
  const read = keepShortly(
    { now: () => at },
    () => key,
    () => ++reads,
  )
  expect([read(), read()]).toEqual([1, 1])
  at += 999
  expect(read()).toBe(1)
  at += 1
  expect(read()).toBe(2)
  key = 'b'
  expect([read(), read()]).toEqual([3, 3])
  at -= 5000
  expect(read()).toBe(4)
})

test('a failure is not kept', () => {
  let fails = true
  const read = keepShortly(
    { now: () => 0 },
    () => '',
    () => {
      if (fails) throw new Error('no')
      return 'yes'
    },
  )
  expect(read).toThrow('no')
  fails = false
  expect(read()).toBe('yes')
})
