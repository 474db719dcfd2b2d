import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { createSystemClock } from '../testing/rig/system-clock.ts'
import { isOverWithin, linkSignals, withTimeLimit } from './time-limit.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const deaf = (): Promise<never> => new Promise(() => undefined)
const heeds = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test.each([
  ['a timeout', () => AbortSignal.timeout(30)],
  ['a combination', () => AbortSignal.any([new AbortController().signal, AbortSignal.timeout(30)])],
  ['a combination of one', () => AbortSignal.any([AbortSignal.any([AbortSignal.timeout(30)]), new AbortController().signal])],
])('a link fires for %s that nobody else holds, whatever garbage is collected', async (_name, make) => {
  const fired = vi.fn()
  linkSignals(new AbortController().signal, make()).signal.addEventListener('abort', fired)
  await expect
    .poll(() => {
      collectGarbage()
      return fired.mock.calls.length
    })
    .toBe(1)
})

test('a link hangs on what a combination was made of', () => {
  const { signal } = new AbortController()
  const combination = AbortSignal.any([signal])
  linkSignals(combination)
  const knowsSources = Object.getOwnPropertySymbols(combination).some(({ description }) => description === 'kSourceSignals')
  expect(listeners(signal)).toBe(knowsSources ? 1 : 0)
})

test('a link fires once, with the reason of the first, and lets go of the others', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal } = linkSignals(one.signal, undefined, other.signal)
  expect([listeners(one.signal), listeners(other.signal)]).toEqual([1, 1])
  other.abort('other')
  one.abort('one')
  expect([signal.reason, listeners(one.signal)]).toEqual(['other', 0])
  expect(linkSignals(new AbortController().signal, other.signal).signal.reason).toBe('other')
})

test('what is disposed of leaves nothing behind, and many may hang on one signal', () => {
  const warned = vi.spyOn(process, 'emitWarning')
  const life = new AbortController()
  const links = Array.from({ length: 20 }, () => linkSignals(life.signal))
  for (const link of links) link[Symbol.dispose]()
  expect(listeners(life.signal)).toBe(0)
  life.abort()
  expect(links.some(({ signal }) => signal.aborted)).toBe(false)
  expect(warned).not.toHaveBeenCalled()
})

test('work ends with what it says, and leaves neither timer nor listener', async () => {
  const clock = createFakeClock()
  const { signal } = new AbortController()
  const limit = { clock, signal, ms: 50, what: 'The receipt' }
  expect(await withTimeLimit(limit, async () => 'done')).toBe('done')
  await expect(withTimeLimit(limit, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  const synchronous = (): never => {
    throw new Error('at once')
  }
  await expect(withTimeLimit(limit, synchronous)).rejects.toThrow('at once')
  await clock.advance(0)
  expect([clock.sleeping(), listeners(signal)]).toEqual([0, 0])
})

test.each([
  ['heeds its signal', heeds],
  ['heeds nothing', deaf],
])('work that %s ends with the time, and with the caller', async (_name, work) => {
  const clock = createFakeClock()
  const caller = new AbortController()
  const limit = { clock, signal: caller.signal, ms: 50, what: 'The receipt' }
  const late = expect(withTimeLimit(limit, work)).rejects.toMatchObject({ code: 'TIMED_OUT', params: { what: 'The receipt', ms: 50 } })
  await clock.advance(50)
  await late
  const given = expect(withTimeLimit(limit, work)).rejects.toThrow('closed')
  caller.abort(new Error('closed'))
  await given
  await clock.advance(0)
  expect([clock.sleeping(), listeners(caller.signal)]).toEqual([0, 0])
})

test('nothing begins for a caller who has left, unless it may still say what becomes of it', async () => {
  const clock = createFakeClock()
  const begun = vi.fn(async () => 'not sent')
  const limit = { clock, signal: AbortSignal.abort(new Error('before')), ms: 50, what: 'Sending' }
  await expect(withTimeLimit(limit, begun)).rejects.toThrow('before')
  expect(begun).not.toHaveBeenCalled()
  expect(await withTimeLimit({ ...limit, graceMs: 20 }, begun)).toBe('not sent')
  await clock.advance(0)
  expect(clock.sleeping()).toBe(0)
})

test('a grace lets work say what became of it; what comes later is handed to the caller that undoes it', async () => {
  const clock = createFakeClock()
  const limit = { clock, ms: 50, what: 'Connecting', graceMs: 20 }
  const takes = (ms: number) => (): Promise<string> => clock.sleep(ms).then(() => 'connected')
  const undo = vi.fn()
  const inTime = withTimeLimit(limit, takes(60), undo)
  await clock.advance(60)
  expect(await inTime).toBe('connected')
  const late = expect(withTimeLimit(limit, takes(80), undo)).rejects.toMatchObject({ code: 'TIMED_OUT' })
  await clock.advance(70)
  await late
  expect(undo).not.toHaveBeenCalled()
  await clock.advance(10)
  expect(undo.mock.calls).toEqual([['connected']])
})

test('a limit holds by the real clock, whatever garbage is collected', async () => {
  let ended = ''
  withTimeLimit({ clock: createSystemClock(), ms: 30, what: 'Waiting' }, deaf).catch(({ code }) => {
    ended = code
  })
  await expect
    .poll(() => {
      collectGarbage()
      return ended
    })
    .toBe('TIMED_OUT')
})

test('a wait tells whether the work was over in time, however it ended', async () => {
  const clock = createFakeClock()
  expect(await isOverWithin({ clock, ms: 50 }, Promise.reject(new Error('broken')))).toBe(true)
  const late = isOverWithin({ clock, ms: 50 }, deaf())
  await clock.advance(50)
  expect(await late).toBe(false)
  expect(await isOverWithin({ clock, ms: 50, signal: AbortSignal.abort() }, Promise.reject(new Error('unheard')))).toBe(false)
  expect(clock.sleeping()).toBe(0)
})
