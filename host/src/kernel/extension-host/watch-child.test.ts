import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { readMemory, type WatchOptions, watchChild } from './watch-child.ts'

function open(ping: () => Promise<number>, more: Partial<WatchOptions> = {}) {
  const clock = createFakeClock()
  const troubles: string[] = []
  const memory: number[] = []
  const stop = new AbortController()
  watchChild({
    ...{ clock, ping, pid: () => undefined, capBytes: 100 * 1024 * 1024, signal: stop.signal },
    onTrouble: (detail) => troubles.push(detail),
    onMemory: (bytes) => memory.push(bytes),
    ...more,
  })
  return { clock, troubles, memory, stop }
}

test('a child that answers is left alone, and its memory is known', async () => {
  const { clock, troubles, memory, stop } = open(async () => 5)
  await clock.advance(20_000)
  expect(troubles).toEqual([])
  expect(memory.slice(0, 2)).toEqual([5, 5])
  stop.abort()
  await clock.advance(0)
  expect(clock.sleeping()).toBe(0)
})

test('one that does not answer for ten seconds is found, once', async () => {
  const { clock, troubles } = open(() => new Promise(() => undefined))
  await clock.advance(14_999)
  expect(troubles).toEqual([])
  await clock.advance(60_000)
  expect(troubles).toEqual(['it did not answer for 10 s'])
  expect(clock.sleeping()).toBe(0)
})

test('a link that is gone is no trouble: the end of the process tells more', async () => {
  const { clock, troubles } = open(async () => Promise.reject(new Error('gone')))
  await clock.advance(30_000)
  expect(troubles).toEqual([])
})

test.each<[string, Partial<WatchOptions>, () => Promise<number>]>([
  ['the system', { pid: () => process.pid, capBytes: 1024 * 1024 }, async () => 0],
  ['the child itself', { capBytes: 1024 * 1024 }, async () => 9 * 1024 * 1024],
])('too much memory is found by what %s tells', async (_name, more, ping) => {
  const { clock, troubles } = open(ping, more)
  await clock.advance(6_000)
  expect(troubles).toEqual([expect.stringMatching(/^it took \d+ MiB of memory, of 1 MiB that it may take$/)])
})

test('a process that is not there has no memory', () => {
  expect(readMemory(2 ** 22 + 1)).toBeUndefined()
  expect(readMemory(process.pid)).toBeGreaterThan(10 * 1024 * 1024)
})
