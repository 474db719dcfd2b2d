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
