import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { AuditLog } from './audit.ts'
import { openGate } from './gate.ts'
import { createSeal } from './seal.ts'

const values: Readonly<Record<string, string>> = {
  AGENT_DASHBOARD_BASIC_AUTH_USERNAME: 'ann',
  AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: 'right',
  AGENT_DASHBOARD_BASIC_AUTH_SECRET: 'kept',
}

async function openTestGate(clock = createFakeClock()) {
  const events: string[] = []
  const audit: AuditLog = { write: ({ event }) => void events.push(event) }
  const gate = await openGate({ get: (name) => values[name] }, { clock, audit })
  if (!gate?.logIn) throw new Error('There is no login.')
  return { ...gate, logIn: gate.logIn, clock, events }
}

test('a login runs out after twelve hours, and with a kept secret outlives a restart until then', async () => {
  const { logIn, isLoggedIn, clock } = await openTestGate()
  const cookie = await logIn('ann', 'right', 'a')
  const later = await openTestGate(clock)
  await clock.advance(12 * 3_600_000 - 1)
  expect([isLoggedIn(cookie), later.isLoggedIn(cookie)]).toEqual([true, true])
  await clock.advance(1)
  expect([isLoggedIn(cookie), later.isLoggedIn(cookie)]).toEqual([false, false])
})

test('after a minute an address has its tries again, and what was tried stands in the audit', async () => {
  const { logIn, clock, events } = await openTestGate()
  for (let tries = 0; tries < 10; tries++) await expect(logIn('ann', 'wrong', 'a')).rejects.toMatchObject({ code: 'HTTP_LOGIN_WRONG' })
  await expect(logIn('ann', 'right', 'a')).rejects.toMatchObject({ code: 'HTTP_RATE_LIMIT' })
  await clock.advance(60_000)
  await logIn('ann', 'right', 'a')
  expect(events).toEqual([...Array.from({ length: 10 }, () => 'login.refused'), 'login.limited', 'login.done'])
})

test('what is sealed opens unchanged, for a time, and for its purpose alone', async () => {
  const clock = createFakeClock()
  const seal = createSeal<{ readonly to: string }>('kept', 'login', clock)
  const text = seal.close({ to: '#/logs' }, 1000)
  expect(seal.open(text)).toEqual({ to: '#/logs' })
  const [body = '', signature = ''] = text.split('.')
  const other = Buffer.from(JSON.stringify({ end: clock.now() + 9e9, value: { to: '#/' } })).toString('base64url')
  for (const spoiled of [undefined, '', body, `${body}.`, `${other}.${signature}`, `.${signature}`])
    expect(seal.open(spoiled)).toBeUndefined()
  expect(createSeal('kept', 'another', clock).open(text)).toBeUndefined()
  expect(createSeal('another', 'login', clock).open(text)).toBeUndefined()
  await clock.advance(1000)
  expect(seal.open(text)).toBeUndefined()
})
