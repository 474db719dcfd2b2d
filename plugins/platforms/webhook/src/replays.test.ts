import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createReplays } from './replays.ts'

test('a mark is known for an hour', async () => {
  const clock = createFakeClock()
  const replays = createReplays(clock)
  expect(replays.has('a')).toBe(false)
  replays.add('a')
  await clock.advance(3_599_999)
  expect(replays.has('a')).toBe(true)
  await clock.advance(1)
  expect(replays.has('a')).toBe(false)
})

test('the newest 2,000 are kept', () => {
  const replays = createReplays(createFakeClock())
  for (let index = 0; index <= 2000; index += 1) replays.add(String(index))
  expect(['0', '1', '2000'].map(replays.has)).toEqual([false, true, true])
  replays.add('1')
  replays.add('2001')
  expect(['1', '2', '2001'].map(replays.has)).toEqual([true, false, true])
})
