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
  for (let n = 0; n < 3; n++) await new Promise(setImmediate)
  expect(done).not.toContain('release')
  letGo()
  await closing
  expect(done.slice(2)).toEqual(['hold boot boot 30000', 'release'])
})

test('a gateway opens with its lease in hand, and says where it cannot be renewed, unless it stops', async () => {
  for (const stops of [false, true]) {
    const clock = createFakeClock()
    const stop = new AbortController()
    const errors: string[] = []
    let held = 0
    const hold = async (): Promise<boolean> => {
      await new Promise(setImmediate)
      held++
      if (held === 1) return true
      if (stops) stop.abort()
      throw new Error('the disk is gone')
    }
    const log = { ...silentLog, error: (text: string) => void errors.push(text) }
    const leases = { hold, release: async () => true }
    const lease = await openLease({ store: { leases }, owner: 'boot', clock, log, signal: stop.signal } as unknown as LeaseOptions)
    expect(held).toBe(1)
    await clock.advance(10_000)
    await lease.close()
    expect(errors).toEqual(stops ? [] : ['the lease of this gateway could not be renewed'])
  }
})
