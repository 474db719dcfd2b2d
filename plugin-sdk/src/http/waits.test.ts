import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createPace } from './pace.ts'
import { runWithin } from './run-within.ts'

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

const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

test('work ends with its result, with the time, or with the signal, and leaves no timer', async () => {
  const clock = createFakeClock()
  const options = { clock, signal: never, ms: 50, what: 'The receipt' }
  expect(await runWithin(options, async () => 'done')).toBe('done')
  const late = expect(runWithin(options, hang)).rejects.toMatchObject({ code: 'TIMED_OUT', params: { what: 'The receipt', ms: 50 } })
  await clock.advance(50)
  await late
  const stop = new AbortController()
  const given = expect(runWithin({ ...options, signal: stop.signal }, hang)).rejects.toThrow('closed')
  stop.abort(new Error('closed'))
  await given
  await expect(runWithin({ ...options, signal: AbortSignal.abort(new Error('before')) }, hang)).rejects.toThrow('before')
  await clock.advance(0)
  expect(clock.sleeping()).toBe(0)
})
