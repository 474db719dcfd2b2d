import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { type LeaseOptions, openLease } from './open-lease.ts'

test('a lease is renewed in time, and given back when the last renewal is over', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  const done: string[] = []
  let letGo = (): void => undefined
  let slow = false
  const held = (): Promise<void> => (slow ? new Promise((resolve) => (letGo = resolve)) : Promise.resolve())
  const leases = {
    hold: async (name: string, owner: string, ms: number) => {
      await held()
      done.push(`hold ${name} ${owner} ${ms}`)
      return true
    },
    release: async () => {
      await new Promise(setImmediate)
      done.push('release')
    },
  }
  const options = { store: { leases }, owner: 'boot', clock, log: silentLog, signal: stop.signal } as unknown as LeaseOptions
  const lease = await openLease(options)
  expect(done).toEqual(['hold boot boot 30000'])
  await clock.advance(10_000)
  expect(done).toHaveLength(2)
  slow = true
  await clock.advance(10_000)
  stop.abort()
  const closing = lease.close()
  await clock.advance(0)
  expect(done).not.toContain('release')
  letGo()
  await closing
  expect(done.slice(2)).toEqual(['hold boot boot 30000', 'release'])
})
