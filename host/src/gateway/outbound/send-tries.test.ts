import { expect, test } from 'vitest'
import { createSendTries } from './send-tries.ts'

const [one, two] = [{ seq: 1 }, { seq: 2 }]

test('what is unclear is tried for more than a minute, each time a little later', () => {
  const tries = createSendTries()
  const delays = Array.from({ length: 10 }, () => tries.next(one, { type: 'unclear' }))
  expect(delays).toEqual([2000, 4000, 6000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000, undefined])
  expect(tries.next(two, { type: 'unclear' })).toBe(2000)
  tries.forget(one)
  expect(tries.next(one, { type: 'unclear' })).toBe(2000)
})

test('who asks for patience gets fifty tries, at the times that are named', () => {
  const tries = createSendTries()
  const limited = { type: 'limited', retryAfterMs: 700 } as const
  for (let count = 1; count < 50; count++) expect(tries.next(one, limited)).toBe(700)
  expect(tries.next(one, limited)).toBeUndefined()
})
