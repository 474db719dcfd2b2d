// @module-tag server
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type GuardedServer, startGuardedServer } from '../../../../../test/logins/guarded-server.ts'
import { browse, type OidcServer, startOidcServer } from '../../../../../test/logins/oidc-server.ts'
import { findFreePort } from '../../../../../test/support/free-port.ts'
import { root } from '../../../../../test/support/servers/open-test-dashboard.ts'
import { openTestHome, type TestHome } from '../../../../../test/support/test-home.ts'
import { createBegunLogins } from './begun-logins.ts'

let home: TestHome
let accounts: OidcServer
let server: GuardedServer
beforeEach(async () => {
  home = openTestHome()
  accounts = await startOidcServer({ registration: true, scopesOfResources: 'tools' })
  server = await startGuardedServer({ accounts })
  home.write('config.yaml', JSON.stringify({ mcp_servers: { desk: { url: server.url } } }))
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await accounts[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

function open(signal = new AbortController().signal) {
  let count = 0
  const clock = createFakeClock()
  const context = { installRoot: root, environment: home.environment, profile: undefined, signal, note: () => undefined }
  return { clock, ...createBegunLogins({ context, clock, createId: () => `l${++count}` }) }
}

/** Whether somebody still waits for the browser at this machine. */
const isAwaited = async (address: string): Promise<boolean> => {
  const back = new URL(address).searchParams.get('redirect_uri') ?? ''
  return fetch(back).then(
    () => true,
    () => false,
  )
}

test('a person has twenty minutes; then nobody waits for the browser, and it is said', async () => {
  const { clock, ...logins } = open()
  let changes = 0
  const { id, address, until } = await logins.start('desk', () => changes++)
  expect([id, until, await isAwaited(address)]).toEqual(['l1', clock.now() + 20 * 60_000, true])
  await clock.advance(20 * 60_000 - 1)
  expect(logins.find('desk')).toEqual({ waits: { id, address, until } })
  await clock.advance(1)
  await expect.poll(() => logins.find('desk')).toEqual({ said: expect.stringMatching(/^The login to desk did not finish within/) })
  expect([await isAwaited(address), changes > 0]).toEqual([false, true])
  await expect(logins.answer(id, address)).rejects.toMatchObject({ code: 'TIMED_OUT' })
})

test('of two requests at once the second one holds, and the first one is told', async () => {
  const logins = open()
  const [first, second] = await Promise.allSettled([logins.start('desk', () => undefined), logins.start('desk', () => undefined)])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'INTERRUPTED' } })
  expect(second).toMatchObject({ status: 'fulfilled', value: logins.find('desk').waits })
  await logins.close()
})

test('another login for the same server ends the one that waits', async () => {
  const logins = open()
  const first = await logins.start('desk', () => undefined)
  const second = await logins.start('desk', () => undefined)
  expect([await isAwaited(first.address), await isAwaited(second.address)]).toEqual([false, true])
  await expect(logins.cancel(first.id)).rejects.toMatchObject({ code: 'LOGIN_FAILED' })
  expect(await logins.cancel(second.id)).toBe('desk')
  expect([await isAwaited(second.address), logins.find('desk')]).toEqual([false, {}])
})

test('another login takes over the port that the settings name', async () => {
  const oauth = { client_id: accounts.clientId, redirect_port: await findFreePort() }
  home.write('config.yaml', JSON.stringify({ mcp_servers: { desk: { url: server.url, oauth } } }))
  const logins = open()
  await logins.start('desk', () => undefined)
  await browse((await logins.start('desk', () => undefined)).address)
  await expect.poll(() => logins.find('desk')).toEqual({ said: `Logged in to desk, by ${new URL(accounts.issuer).host}.` })
})

test('one that the browser of this machine has answered says so to who pastes its address, too', async () => {
  const logins = open()
  const { id, address } = await logins.start('desk', () => undefined)
  const back = new URL(address)
  const answer = `${back.searchParams.get('redirect_uri')}?error=access_denied&state=${back.searchParams.get('state')}&iss=${accounts.issuer}`
  await fetch(answer)
  await expect(logins.answer(id, answer)).rejects.toThrow('The login to desk did not succeed: access_denied.')
  await expect(logins.answer('another', answer)).rejects.toThrow('it is not under way any more')
})

test('what ends the program ends the login', async () => {
  const program = new AbortController()
  const logins = open(program.signal)
  const { address } = await logins.start('desk', () => undefined)
  program.abort(new Error('the end'))
  await logins.close()
  expect([await isAwaited(address), logins.find('desk')]).toEqual([false, {}])
})
