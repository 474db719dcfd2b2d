import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createSteadyClock, systemClock } from './clock.ts'

test('a wait that is called off rejects with the reason of the signal, before and while it waits', async () => {
  const reason = new Error('enough')
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
  const controller = new AbortController()
  const waiting = systemClock.sleep(60_000, controller.signal)
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
})

test('a wait that is over leaves nothing on the signal', async () => {
  const { signal } = new AbortController()
  await systemClock.sleep(1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a steady clock goes on with the time that passes when the clock is set back, and along when it is set ahead', () => {
  let [passed, set] = [0, 1_000_000]
  const clock = createSteadyClock({ now: () => set + passed, elapsed: () => passed, sleep: systemClock.sleep })
  // Nobody has looked at it before.
  passed = 50
  set -= 600_000
  expect(clock.now()).toBe(1_000_050)
  set += 700_000
  expect(clock.now()).toBe(1_100_050)
})

test('the time of this machine is in whole milliseconds, which is what the store keeps', () => {
  const { now } = createSteadyClock(systemClock)
  expect([now(), systemClock.elapsed?.()].map(Number.isInteger)).toEqual([true, true])
  expect(Math.abs(now() - systemClock.now())).toBeLessThan(60_000)
})

test('a clock that cannot tell what has passed is as steady as it is', () => {
  const clock = { now: () => 7, sleep: systemClock.sleep }
  expect(createSteadyClock(clock)).toBe(clock)
})
