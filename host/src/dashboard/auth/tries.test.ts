import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createTries } from './tries.ts'

test.each([
  ['198.51.100.7', '198.51.100.8', false],
  ['2001:db8:1:2::1', '2001:DB8:1:2:3:4:5:6', true],
  ['2001:db8::1', '2001:0db8:0000:0000:ffff::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::ffff:198.51.100.7', '::ffff:198.51.100.8', false],
  ['::1', 'fe80::1', false],
] as const)('%s and %s count as one: %s', (used, other, isOne) => {
  const tries = createTries(createFakeClock())
  for (let count = 0; count < 10; count++) tries.take(used)
  expect([tries.take(used), tries.take(other)]).toEqual([false, !isOne])
})
