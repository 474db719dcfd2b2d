import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { collectWhenIdle, createCollector } from './idle-collector.ts'

/** Plays what was going on at each look. */
async function play(looks: readonly { running: number; finished: number }[]): Promise<number> {
  const stop = new AbortController()
  let at = 0
  let collected = 0
  const clock = {
    now: () => 0,
    sleep: async () => {
      at++
      if (at >= looks.length) stop.abort()
    },
  }
  const activity = () => looks[Math.min(at, looks.length - 1)] ?? { running: 0, finished: 0 }
  await collectWhenIdle({ activity, collect: () => collected++, clock, signal: stop.signal })
  return collected
}

const idle = (finished: number) => ({ running: 0, finished })

test('it collects once after work, when nothing was done for a while', async () => {
  expect(await play([idle(0), idle(3), idle(3), idle(3), idle(3)])).toBe(1)
  expect(await play([idle(0), idle(3), idle(3), idle(5), idle(5), idle(5)])).toBe(2)
})

test('while work comes and goes between two looks it is no time to collect', async () => {
  expect(await play([idle(0), idle(3), idle(5), idle(7), idle(7), idle(7)])).toBe(1)
})

test('it looks every two seconds, and ends with its signal', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  let looks = 0
  let collected = 0
  const activity = () => idle(looks++ > 0 ? 1 : 0)
  const over = collectWhenIdle({ activity, collect: () => collected++, clock, signal: stop.signal })
  expect(looks).toBe(1)
  await clock.advance(1999)
  expect(looks).toBe(1)
  await clock.advance(1)
  await clock.advance(2000)
  expect(collected).toBe(1)
  stop.abort()
  await over
  expect(clock.sleeping()).toBe(0)
})

test('it does nothing without work, and nothing while something runs', async () => {
  expect(await play([idle(0), idle(0), idle(0)])).toBe(0)
  expect(await play([idle(0), { running: 1, finished: 3 }, { running: 1, finished: 3 }, { running: 1, finished: 3 }])).toBe(0)
})

test('the collector of the process gives memory back', () => {
  const collect = createCollector()
  let held: number[][] | undefined = Array.from({ length: 100 }, () => new Array<number>(10_000).fill(1))
  const full = process.memoryUsage().heapUsed
  held = undefined
  collect()
  expect(held).toBeUndefined()
  expect(process.memoryUsage().heapUsed).toBeLessThan(full - 5_000_000)
})
