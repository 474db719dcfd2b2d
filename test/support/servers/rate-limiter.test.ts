import { expect, test } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

test('each allowance is used up by itself, and what is refused takes from none', () => {
  let now = 0
  const take = createRateLimiter(() => now)
  const all = { name: 'all', burst: 3, everyMs: 100 }
  const ann = { name: 'ann', burst: 1, everyMs: 1000 }
  const ben = { ...ann, name: 'ben' }
  expect([take(all, ann), take(all, ann), take(all, ben), take(all), take(all)]).toEqual([0, 1000, 0, 0, 100])
  now = 400
  expect([take(all, ann), take(all)]).toEqual([600, 0])
  now = 1000
  expect(take(all, ann)).toBe(0)
})
