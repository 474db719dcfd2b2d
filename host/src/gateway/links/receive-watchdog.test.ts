import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { watchReception } from './receive-watchdog.ts'

test('what a connection says after the end of its watch is not heard', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  const heard: number[] = []
  const lastHeard = async () => {
    stop.abort(new Error('it is over'))
    return clock.now()
  }
  const connection = { lastHeard, close: async () => undefined }
  const about = { connection, platform: 'Talk', timeoutMs: 60_000, clock, signal: stop.signal }
  const watching = watchReception({ ...about, onHeard: (at) => heard.push(at) })
  const end = expect(watching).rejects.toThrow('it is over')
  await clock.advance(20_000)
  await end
  expect(heard).toEqual([])
})

test('a silence is too long when its time is over, and not at the next time to ask', async () => {
  const clock = createFakeClock()
  const began = clock.now()
  const connection = { lastHeard: async () => began + 3000, close: async () => undefined }
  const about = { connection, platform: 'Talk', timeoutMs: 30_000, clock, signal: new AbortController().signal }
  let ended: number | undefined
  void watchReception({ ...about, onHeard: () => undefined }).then(() => (ended = clock.now() - began))
  for (let second = 0; second < 32; second++) await clock.advance(1000)
  expect(ended).toBeUndefined()
  await clock.advance(1000)
  expect(ended).toBe(33_000)
})
