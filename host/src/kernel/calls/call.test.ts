import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { callWithin } from './call.ts'

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('a call ends with a coded error when its deadline is over', async () => {
  const { signal } = new AbortController()
  const call = callWithin({ clock: systemClock, signal, deadline: 5, what: 'Waiting' }, (inner) => forever(inner.signal))
  await expect(call).rejects.toMatchObject({ code: 'TIMED_OUT', params: { what: 'Waiting', ms: 5 } })
})

test("a call ends with the caller's reason when the caller gives up, before or while it runs", async () => {
  const controller = new AbortController()
  const call = callWithin({ clock: systemClock, signal: controller.signal, deadline: 60_000, what: 'Waiting' }, (inner) =>
    forever(inner.signal),
  )
  controller.abort(fail('INTERRUPTED'))
  await expect(call).rejects.toMatchObject({ code: 'INTERRUPTED' })
  const late = callWithin({ clock: systemClock, signal: controller.signal, deadline: 60_000, what: 'Waiting' }, async (inner) =>
    inner.signal.throwIfAborted(),
  )
  await expect(late).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('nothing is left behind when the work ends in time', async () => {
  const { signal } = new AbortController()
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  expect(await callWithin({ clock: systemClock, signal, deadline: 60_000, what: 'Waiting' }, async () => 7)).toBe(7)
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBe(before)
})
