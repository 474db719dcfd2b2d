import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'

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
