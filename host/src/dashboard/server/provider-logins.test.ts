// @module-tag server
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { deviceCodeAt, pkceAt, writeProvider } from '../../../../test/logins/write-provider.ts'
import { root } from '../../../../test/support/servers/open-test-dashboard.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { createProviderLogins } from './provider-logins.ts'

function contextOf({ environment }: TestHome, signal = new AbortController().signal): HomeContext {
  return { installRoot: root, environment, profile: undefined, signal, note: () => undefined }
}

const open = (more: object = {}) =>
  createProviderLogins({ clock: systemClock, log: silentLog, signal: new AbortController().signal, ...more })

test('a person who does nothing has the login ended by its time limit, with why', async () => {
  await using server = await startOidcServer()
  using home = openTestHome()
  writeProvider(home, pkceAt(server))
  const logins = open({ lastsMs: 1500 })
  expect(await logins.start(contextOf(home), 'mine')).toMatchObject({ type: 'address' })
  await expect.poll(() => logins.find(contextOf(home), 'mine'), { timeout: 10_000 }).toMatchObject({ type: 'failed', code: 'TIMED_OUT' })
  await logins.close()
})

test('the login outlives the request that began it, and ends with the server: nobody asks the provider any more', async () => {
  await using server = await startOidcServer({ interval: 0.01 })
  using home = openTestHome()
  writeProvider(home, deviceCodeAt(server))
  const request = new AbortController()
  const logins = open()
  await logins.start(contextOf(home, request.signal), 'mine')
  request.abort()
  const before = server.grants.length
  await expect.poll(() => server.grants.length, { timeout: 10_000 }).toBeGreaterThan(before + 2)
  await logins.close()
  const ask = async () => {
    for (let asked = 0; asked < 20; asked += 1) await fetch(`${server.issuer}/.well-known/openid-configuration`)
  }
  // What was on its way arrives first.
  await ask()
  const after = server.grants.length
  await ask()
  expect([server.grants.length, logins.find(contextOf(home), 'mine')]).toEqual([after, undefined])
})

test('two requests at once begin one login, and one that comes while another is given up begins its own', async () => {
  await using server = await startOidcServer()
  using home = openTestHome()
  writeProvider(home, deviceCodeAt(server))
  const logins = open()
  const context = contextOf(home)
  const [first, second] = await Promise.all([logins.start(context, 'mine'), logins.start(context, 'mine')])
  expect(second).toBe(first)
  const cancelled = logins.cancel(context, 'mine')
  const third = await logins.start(context, 'mine')
  await cancelled
  expect([third.type, third === first, logins.find(context, 'mine')]).toEqual(['code', false, third])
  await logins.close()
})

test('what ends the program ends the logins', async () => {
  await using server = await startOidcServer()
  using home = openTestHome()
  writeProvider(home, pkceAt(server))
  const program = new AbortController()
  const logins = open({ signal: program.signal })
  await logins.start(contextOf(home), 'mine')
  program.abort(fail('INTERRUPTED'))
  await expect.poll(() => logins.find(contextOf(home), 'mine')).toMatchObject({ type: 'failed', code: 'INTERRUPTED' })
  await logins.close()
})
