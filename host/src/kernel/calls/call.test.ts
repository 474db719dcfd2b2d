import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { callWithin, passCall } from './call.ts'

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

test('a call that is handed on keeps its name and gets the nearer limit', async () => {
  const call = { id: 'c7', signal: new AbortController().signal, deadline: 60_000 }
  const limit = { clock: systemClock, what: 'Waiting' }
  const seen = (ms?: number) => passCall(call, { ...limit, ...(ms && { ms }) }, async ({ id, deadline }) => [id, deadline])
  expect([await seen(), await seen(20), await seen(90_000)]).toEqual([
    ['c7', 60_000],
    ['c7', 20],
    ['c7', 60_000],
  ])
  await expect(passCall(call, { ...limit, ms: 5 }, (inner) => forever(inner.signal))).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('a call that was handed on ends as interrupted when its caller gives up, and with its own error otherwise', async () => {
  const limit = { clock: systemClock, what: 'Waiting' }
  const pass = (reason: unknown) => {
    const caller = new AbortController()
    const passing = passCall({ id: 'c', signal: caller.signal, deadline: 60_000 }, limit, (inner) => forever(inner.signal))
    caller.abort(reason)
    return passing
  }
  await expect(pass(new Error('away'))).rejects.toMatchObject({ code: 'INTERRUPTED' })
  await expect(pass(fail('PLUGIN_INACTIVE', { plugin: 'mine' }))).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' })
  const call = { id: 'c', signal: new AbortController().signal, deadline: 60_000 }
  await expect(passCall(call, limit, () => Promise.reject(new Error('no such device')))).rejects.toThrow('no such device')
})
