import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Session } from '#store/sessions.ts'
import { createSessionReset, findResetReason, type ResetPolicy } from './session-reset.ts'

const policy: ResetPolicy = { mode: 'both', at_hour: 4, idle_minutes: 1440 }
/** By the machine's own clock on the wall, as the policy is. */
const at = (text: string): number => new Date(text).getTime()

test.each([
  ['idle', '2026-03-10T12:00', '2026-03-11T11:59', undefined],
  ['idle', '2026-03-10T12:00', '2026-03-11T12:00', 'idle'],
  ['daily', '2026-03-10T03:59', '2026-03-10T04:00', 'daily'],
  ['daily', '2026-03-10T04:00', '2026-03-11T03:59', undefined],
  ['daily', '2026-03-10T23:59', '2026-03-11T00:01', undefined],
  ['daily', '2026-03-10T03:00', '2026-03-11T02:00', 'daily'],
  ['daily', '2026-03-01T03:00', '2026-03-01T05:00', 'daily'],
  ['daily', '2026-02-28T12:00', '2026-03-01T04:00', 'daily'],
  ['daily', '2025-12-31T12:00', '2026-01-01T03:59', undefined],
  ['both', '2026-03-10T05:00', '2026-03-11T04:00', 'daily'],
  ['both', '2026-03-10T05:00', '2026-03-12T05:00', 'idle'],
  ['both', '2026-03-10T05:00', '2026-03-11T03:00', undefined],
  ['none', '2020-03-10T05:00', '2026-03-11T03:00', undefined],
] as const)('%s: last used %s, now %s: %s', (mode, lastAt, now, reason) => {
  expect(findResetReason({ ...policy, mode }, at(lastAt), at(now))).toBe(reason)
})

test('no minutes are no idle time that ends a session', () => {
  const never: ResetPolicy = { ...policy, idle_minutes: 0 }
  expect(findResetReason({ ...never, mode: 'idle' }, at('2020-03-10T05:00'), at('2026-03-11T03:00'))).toBeUndefined()
  expect(findResetReason(never, at('2026-03-10T03:00'), at('2026-03-10T05:00'))).toBe('daily')
})

test('midnight is an hour like any other, and a minute a length', () => {
  const midnight: ResetPolicy = { ...policy, mode: 'daily', at_hour: 0 }
  expect(findResetReason(midnight, at('2026-03-10T23:59'), at('2026-03-11T00:00'))).toBe('daily')
  expect(findResetReason(midnight, at('2026-03-11T00:00'), at('2026-03-11T23:59'))).toBeUndefined()
  const short: ResetPolicy = { ...policy, mode: 'idle', idle_minutes: 1 }
  expect(findResetReason(short, at('2026-03-10T10:00:00'), at('2026-03-10T10:00:59'))).toBeUndefined()
  expect(findResetReason(short, at('2026-03-10T10:00:00'), at('2026-03-10T10:01:00'))).toBe('idle')
})

test('a day with a clock change has one border too', () => {
  const zone = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    // 29 March 2026: two o'clock becomes three. 25 October: three becomes two.
    const spring: ResetPolicy = { ...policy, mode: 'daily', at_hour: 2 }
    expect(findResetReason(spring, at('2026-03-29T01:59'), at('2026-03-29T03:00'))).toBe('daily')
    expect(findResetReason(spring, at('2026-03-29T03:00'), at('2026-03-30T01:59'))).toBeUndefined()
    const autumn: ResetPolicy = { ...policy, mode: 'daily', at_hour: 4 }
    expect(findResetReason(autumn, at('2026-10-24T04:00'), at('2026-10-25T03:59'))).toBeUndefined()
    expect(findResetReason(autumn, at('2026-10-24T04:00'), at('2026-10-25T04:00'))).toBe('daily')
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

test('the session ends with its reason once, and only when it is past the policy', async () => {
  const clock = createFakeClock(at('2026-03-10T12:00'))
  let session: Pick<Session, 'id' | 'lastAt'> | undefined = { id: 'ses_1', lastAt: clock.now() }
  const ended: string[] = []
  const sessions = {
    byKey: async (key: string) => (key === 'known' ? (session as Session | undefined) : undefined),
    end: async (id: string, reason: string) => {
      ended.push(`${id} ${reason}`)
      session = undefined
    },
  }
  const reset = createSessionReset({ sessions, loaded: { config: { session_reset: policy } }, clock, log: silentLog })
  await reset('known')
  await reset('unknown')
  await clock.advance(16 * 3_600_000 - 1)
  await reset('known')
  expect(ended).toEqual([])
  await clock.advance(1)
  await reset('known')
  await reset('known')
  expect(ended).toEqual(['ses_1 daily'])
})

test('a session that cannot be ended is no new one', async () => {
  const clock = createFakeClock(at('2026-03-10T12:00'))
  const sessions = { byKey: async () => ({ id: 'ses_1', lastAt: 0 }) as Session, end: () => Promise.reject(new Error('full')) }
  await expect(
    createSessionReset({ sessions, loaded: { config: { session_reset: policy } }, clock, log: silentLog })('known'),
  ).rejects.toThrow('full')
})

test('a policy that is changed while the gateway runs holds from the next message on', async () => {
  const clock = createFakeClock(at('2026-03-10T12:00'))
  const ended: string[] = []
  const sessions = { byKey: async () => ({ id: 'ses_1', lastAt: 0 }) as Session, end: async (id: string) => void ended.push(id) }
  const loaded: { config: { session_reset: ResetPolicy } } = { config: { session_reset: { ...policy, mode: 'none' } } }
  const reset = createSessionReset({ sessions, loaded, clock, log: silentLog })
  await reset('known')
  expect(ended).toEqual([])
  loaded.config = { session_reset: policy }
  await reset('known')
  expect(ended).toEqual(['ses_1'])
})
