import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createClaimer, openPump } from './pump.ts'

function createSource(count: number): { claim: () => Promise<number | null>; asked: () => number } {
  let left = count
  let asked = 0
  return {
    claim: async () => {
      asked++
      return left > 0 ? left-- : null
    },
    asked: () => asked,
  }
}

test('takes more at once as long as there is more, and never more than there is room for', async () => {
  const source = createSource(100)
  const claimSome = createClaimer(source.claim)
  const sizes: number[] = []
  for (let round = 0; round < 5; round++) sizes.push((await claimSome(6)).length)
  expect(sizes).toEqual([1, 2, 4, 6, 6])
})

test('asks once where there is nothing', async () => {
  const source = createSource(3)
  const claimSome = createClaimer(source.claim)
  expect(await claimSome(64)).toEqual([3])
  expect(await claimSome(64)).toEqual([2, 1])
  expect(await claimSome(64)).toEqual([])
  const before = source.asked()
  expect(await claimSome(64)).toEqual([])
  expect(source.asked()).toBe(before + 1)
})

test('a failure beside claims does not lose them, and is told when there is nothing else', async () => {
  let call = 0
  const claimSome = createClaimer(async () => {
    call++
    if (call >= 3) throw new Error('the disk is full')
    return call
  })
  expect(await claimSome(8)).toEqual([1])
  expect(await claimSome(8)).toEqual([2])
  await expect(claimSome(8)).rejects.toThrow('the disk is full')
})

interface Shape {
  readonly most?: number
  /** Throws where the source cannot be read. */
  readonly read?: () => void
  readonly work?: (item: string) => Promise<void>
  /** Happens while the pump asks when to look again. */
  readonly meanwhile?: () => Promise<void>
}

/** A pump over a list; each item is in work until it is let go. */
function open({ most = 2, read = () => undefined, work = async () => undefined, meanwhile = async () => undefined }: Shape = {}) {
  const clock = createFakeClock()
  const stop = new AbortController()
  const items: { readonly name: string; readonly from: number }[] = []
  const [begun, errors]: [string[], unknown[]] = [[], []]
  const held = new Map<string, () => void>()
  const listeners = new Set<() => void>()
  let peak = 0
  const pump = openPump<string>({
    source: {
      claim: async () => {
        await new Promise(setImmediate)
        read()
        const at = items.findIndex(({ from }) => from <= clock.now())
        return at < 0 ? null : (items.splice(at, 1)[0]?.name ?? null)
      },
      nextAt: async (after) => {
        await meanwhile()
        const times = items.map(({ from }) => from).filter((from) => from > after)
        return times.length > 0 ? Math.min(...times) : null
      },
      onWork: (wake) => {
        listeners.add(wake)
        return () => listeners.delete(wake)
      },
    },
    work: async (item) => {
      begun.push(item)
      peak = Math.max(peak, held.size + 1)
      await new Promise<void>((resolve) => held.set(item, resolve))
      held.delete(item)
      await work(item)
    },
    ...{ most: () => most, name: 'list', stop: stop.signal, clock },
    log: { ...silentLog, error: (text: string, fields?: unknown) => errors.push([text, fields]) },
  })
  return {
    ...{ pump, clock, stop, begun, errors, listeners },
    add: (name: string, inMs = 0) => items.push({ name, from: clock.now() + inMs }),
    goOn: (name: string) => held.get(name)?.(),
    mostAtOnce: () => peak,
    /** All that can happen now has happened. */
    settle: async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    },
  }
}

test('as much is in work as there is room for, and the next begins when something has ended', async () => {
  const { pump, add, begun, goOn, settle, mostAtOnce } = open()
  for (const name of ['a', 'b', 'c', 'd']) add(name)
  for (let times = 0; times < 3; times++) pump.wake()
  await settle()
  expect(begun).toEqual(['a', 'b'])
  goOn('b')
  await settle()
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) goOn(name)
  await settle()
  expect([begun, mostAtOnce()]).toEqual([['a', 'b', 'c', 'd'], 2])
})

test('what comes while it looks is seen, and what may be done later is done then', async () => {
  const { pump, clock, add, begun, listeners, settle } = open({ most: 9 })
  pump.wake()
  add('a')
  for (const wake of listeners) wake()
  await settle()
  expect(begun).toEqual(['a'])
  add('late', 5_000)
  add('later', 9_000)
  pump.wake()
  await settle()
  await clock.advance(4_999)
  expect(begun).toEqual(['a'])
  await clock.advance(1)
  await settle()
  expect(begun).toEqual(['a', 'late'])
  add('sooner', 1_000)
  pump.wake()
  await settle()
  // The alarm for the later one was replaced.
  expect(clock.sleeping()).toBe(1)
  await clock.advance(1_000)
  await settle()
  expect(begun).toEqual(['a', 'late', 'sooner'])
  await clock.advance(3_000)
  await settle()
  expect(begun).toEqual(['a', 'late', 'sooner', 'later'])
})

test('what becomes due between a look and the question when to look again is taken', async () => {
  const opened = open({ meanwhile: () => opened.clock.advance(1) })
  opened.add('a', 1)
  opened.pump.wake()
  await opened.settle()
  await opened.clock.advance(1)
  await opened.settle()
  expect(opened.begun).toEqual(['a'])
})

test('who wakes it while it asks when to look again is heard', async () => {
  const news = ['a']
  const opened = open({
    meanwhile: async () => {
      const name = news.pop()
      if (name === undefined) return
      opened.add(name)
      opened.pump.wake()
    },
  })
  opened.pump.wake()
  await opened.settle()
  expect(opened.begun).toEqual(['a'])
})

test('at the end nothing more is taken, and what is in work is waited for', async () => {
  const { pump, clock, add, begun, goOn, listeners, settle } = open({ most: 1 })
  for (const name of ['a', 'b']) add(name)
  add('late', 5_000)
  pump.wake()
  await settle()
  let isClosed = false
  const closing = pump.close().then(() => (isClosed = true))
  await settle()
  expect([isClosed, listeners.size, clock.sleeping()]).toEqual([false, 0, 0])
  goOn('a')
  await closing
  pump.wake()
  await settle()
  await clock.advance(10_000)
  expect(begun).toEqual(['a'])
})

test('a signal stops it too', async () => {
  const { pump, stop, clock, add, begun, goOn, errors, settle } = open({ most: 1 })
  for (const name of ['a', 'b']) add(name)
  add('late', 5_000)
  pump.wake()
  await settle()
  stop.abort()
  goOn('a')
  await settle()
  await clock.advance(10_000)
  expect([begun, errors]).toEqual([['a'], []])
})

test('one thing that fails keeps no other back, and is told', async () => {
  const { pump, add, begun, goOn, errors, settle } = open({ most: 1, work: () => Promise.reject(new Error('no')) })
  for (const name of ['a', 'b']) add(name)
  pump.wake()
  await settle()
  goOn('a')
  await settle()
  expect(begun).toEqual(['a', 'b'])
  expect(errors).toEqual([['something of the list could not be finished', { error: 'Error: no' }]])
  goOn('b')
  await settle()
})

test('a source that is busy is asked again, one that is broken is told of', async () => {
  const faults = [fail('STORE_BUSY', { file: 'state.db' }), new Error('broken')]
  const read = (): void => {
    const fault = faults.shift()
    if (fault) throw fault
  }
  const { pump, clock, add, begun, errors, settle } = open({ read })
  add('a')
  pump.wake()
  await settle()
  expect(begun).toEqual([])
  await clock.advance(5_000)
  await settle()
  expect([begun, errors.at(-1)]).toEqual([[], ['the list cannot be read', { error: 'Error: broken' }]])
  pump.wake()
  await settle()
  expect(begun).toEqual(['a'])
})
