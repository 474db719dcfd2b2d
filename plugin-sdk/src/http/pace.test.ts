import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { createPace } from './pace.ts'

const never = new AbortController().signal

test('a burst goes at once, then one per pause; a silence earns the burst again', async () => {
  const clock = createFakeClock(0)
  const pace = createPace({ clock, delayMs: 100, burst: 3 })
  const went: number[] = []
  const go = (count: number): void => {
    for (let index = 0; index < count; index++) void pace(never).then(() => went.push(clock.now()))
  }
  go(5)
  await clock.advance(1000)
  go(4)
  await clock.advance(1000)
  expect(went).toEqual([0, 0, 0, 100, 200, 1000, 1000, 1000, 1100])
})

test('without a pause nobody waits, and a wait for the pace can be given up', async () => {
  const clock = createFakeClock()
  const free = createPace({ clock, delayMs: 0 })
  await Promise.all([free(never), free(never), free(never)])
  const slow = createPace({ clock, delayMs: 1000 })
  await slow(never)
  const stop = new AbortController()
  const waiting = slow(stop.signal)
  stop.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
})
