// @module-tag server
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { browse, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { deviceCodeAt, pkceAt, writeProvider } from '../../../../test/logins/write-provider.ts'
import { openTestDashboard, root, type TestDashboard, testToken } from '../../../../test/support/servers/open-test-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import type { LoginStep, ModelLogin } from '../api-logins.ts'
import { openDashboard } from '../boot/open-dashboard.ts'

const family = '/api/providers/oauth'
const waits = { timeout: 15_000 }
const oauth = (issuer: string, more: object = {}) => ({ kind: 'device-code', issuer, clientId: 'agent-test', scopes: ['openid'], ...more })

async function find({ ask }: TestDashboard, profile = 'default'): Promise<ModelLogin | undefined> {
  const { body } = await ask('GET', `${family}?profile=${profile}`)
  return (body.providers as readonly ModelLogin[]).find(({ id }) => id === 'mine')
}

/** What a request answers: its status, and the step or the error. */
async function post({ ask }: TestDashboard, path: string, body: object = {}): Promise<readonly [number, unknown]> {
  const answer = await ask('POST', `${family}/${path}`, { body })
  return [answer.status, answer.body.error ?? answer.body]
}

test('nobody without the token, and no page of another place, begins, follows or ends a login', async () => {
  await using server = await startOidcServer()
  await using dashboard = await openTestDashboard({ prepare: (home) => writeProvider(home, deviceCodeAt(server)) })
  const verbs = ['start', 'code', 'cancel', 'logout'].map((verb) => ['POST', `${family}/mine/${verb}`] as const)
  const foreign = { 'x-agent-session-token': testToken, origin: 'https://evil.example' }
  for (const [method, path] of [['GET', family], ['GET', `${family}/mine`], ...verbs] as const) {
    const bare = await dashboard.askBare(method, path, method === 'POST' ? { body: {} } : {})
    const other = await dashboard.askBare(method, path, { headers: foreign, ...(method === 'POST' ? { body: {} } : {}) })
    expect([bare.status, other.status], `${method} ${path}`).toEqual([401, 403])
  }
  expect((await find(dashboard))?.step).toBeUndefined()
})

test('a login is of one profile: another has one for itself, and uses the one of the home around it, which it cannot end', async () => {
  await using server = await startOidcServer({ interval: 0.01 })
  await using dashboard = await openTestDashboard({
    prepare: (home) => {
      writeProvider(home, deviceCodeAt(server))
      writeProvider({ write: (name, text) => home.write(`profiles/work/${name}`, text) }, deviceCodeAt(server))
    },
  })
  const [, first] = await post(dashboard, 'mine/start')
  const [, second] = await post(dashboard, 'mine/start', { profile: 'work' })
  expect([(first as LoginStep).type, (second as LoginStep).type]).toEqual(['code', 'code'])
  expect((first as { readonly code: string }).code).not.toBe((second as { readonly code: string }).code)
  await browse((first as { readonly fullAddress: string }).fullAddress)
  await expect.poll(async () => (await find(dashboard))?.state, waits).toBe('good')
  expect(await find(dashboard, 'work')).toMatchObject({ state: 'good', inherited: true, step: second })
  expect(await post(dashboard, 'mine/logout', { profile: 'work' })).toEqual([
    400,
    expect.objectContaining({ message: expect.stringMatching(/belongs to the home around/) }),
  ])
  expect((await dashboard.ask('GET', `${family}?profile=nobody`)).status).toBe(404)
})

test('a login that is given up is gone, and a code that nothing waits for is refused', async () => {
  await using server = await startOidcServer()
  await using dashboard = await openTestDashboard({ prepare: (home) => writeProvider(home, pkceAt(server)) })
  const none = [404, expect.objectContaining({ code: 'HTTP_NOT_FOUND' })]
  expect(await post(dashboard, 'mine/code', { code: 'x' })).toEqual(none)
  await post(dashboard, 'mine/start')
  expect(await post(dashboard, 'mine/code', { code: '' })).toEqual([400, expect.objectContaining({ fields: { code: 'does not fit' } })])
  expect(await post(dashboard, 'mine/cancel')).toEqual([200, { said: [], live: true }])
  expect([await post(dashboard, 'mine/code', { code: 'x' }), (await find(dashboard))?.step]).toEqual([none, undefined])
  // What was pasted and is no code ends the login with why, until the next one begins.
  await post(dashboard, 'mine/start')
  await post(dashboard, 'mine/code', { code: 'http://127.0.0.1:1/callback' })
  await expect
    .poll(async () => (await find(dashboard))?.step, waits)
    .toEqual({
      ...{ type: 'failed', code: 'LOGIN_FAILED' },
      message: expect.stringMatching(/has no code in it/),
    })
  expect(await post(dashboard, 'mine/code', { code: 'x' })).toEqual([
    400,
    expect.objectContaining({ fields: { code: 'is not asked for now' } }),
  ])
  expect(await post(dashboard, 'mine/start')).toEqual([200, expect.objectContaining({ type: 'address' })])
})

test('what cannot begin is told before, by the same words as when it is tried', async () => {
  const prepare = (home: Parameters<typeof writeProvider>[0]): void =>
    writeProvider(home, { ...oauth('http://127.0.0.1:1'), clientId: undefined, clientIdEnv: 'MINE_CLIENT_ID' })
  await using dashboard = await openTestDashboard({ prepare })
  const needs = expect.stringMatching(/asks for a client id.*MINE_CLIENT_ID/)
  expect(await find(dashboard)).toMatchObject({ needs })
  expect(await post(dashboard, 'mine/start')).toEqual([502, { code: 'LOGIN_FAILED', message: needs }])
  expect((await find(dashboard))?.step).toBeUndefined()
  expect(await post(dashboard, 'offline/start')).toEqual([expect.any(Number), expect.objectContaining({ code: 'UNSUPPORTED' })])
  expect(await post(dashboard, 'nobody/start')).toEqual([expect.any(Number), expect.objectContaining({ code: 'PROVIDER_UNKNOWN' })])
})

test("another program's login is offered where its file is, and read there", async () => {
  await using dashboard = await openTestDashboard({
    prepare: (home) => writeProvider(home, { kind: 'cli', program: 'Theirs', file: join(home.folder, 'theirs.json'), tokenAt: '/token' }),
  })
  expect(await find(dashboard)).toMatchObject({ kinds: ['cli'], state: 'none', needs: expect.stringMatching(/^Theirs has no login/) })
  dashboard.home.write('../theirs.json', '{"token":"tok-of-theirs"}')
  expect(await find(dashboard)).not.toHaveProperty('needs')
  expect((await post(dashboard, 'mine/start'))[0]).toBe(200)
  await expect.poll(async () => (await find(dashboard))?.step?.type, waits).toBe('done')
  const { text } = await dashboard.ask('GET', family)
  expect([(await find(dashboard))?.state, text.includes('tok-of-theirs')]).toEqual(['good', false])
})

test('a page to open that is not encrypted ends the login, too', async () => {
  const login = { ...oauth('http://127.0.0.1:1'), issuer: undefined, kind: 'pkce', redirectUrl: 'http://127.0.0.1:1/callback' }
  const pages = { authorizationUrl: 'http://far.example/authorize', tokenUrl: 'http://127.0.0.1:1/token' }
  await using dashboard = await openTestDashboard({ prepare: (home) => writeProvider(home, { ...login, ...pages }) })
  expect(await post(dashboard, 'mine/start')).toEqual([
    502,
    { code: 'LOGIN_FAILED', message: expect.stringMatching(/sends people to a page that is not encrypted/) },
  ])
})

test('a dashboard that is closed has let go of the port that a browser would come back to', async () => {
  await using server = await startOidcServer()
  using home = openTestHome()
  writeProvider(home, { ...deviceCodeAt(server), kind: 'pkce', loopback: { path: '/callback' } })
  const dashboard = await openDashboard({
    ...{ installRoot: root, profile: 'default', isolated: false, host: '127.0.0.1', port: 0, insecure: false, log: silentLog },
    ...{ note: () => undefined, signal: new AbortController().signal },
    environment: { ...home.environment, AGENT_DASHBOARD_SESSION_TOKEN: testToken },
  })
  const headers = { 'x-agent-session-token': testToken, 'content-type': 'application/json' }
  const begun = await fetch(`${dashboard.url}${family}/mine/start`, { method: 'POST', headers, body: '{}' })
  const { address } = (await begun.json()) as { readonly address: string }
  const back = new URL(address).searchParams.get('redirect_uri') ?? ''
  expect((await fetch(`${back}?code=x`)).status).toBe(400)
  await dashboard.close()
  await expect(fetch(`${back}?code=x`)).rejects.toThrow('fetch failed')
})

test('while the login is tried it is kept already, and giving up the trial leaves it', async () => {
  const vendor = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
  await using dashboard = await openTestDashboard({
    prepare: (home) => {
      const file = home.write('../theirs.json', '{"token":"tok-of-theirs"}')
      writeProvider(home, { kind: 'cli', program: 'Theirs', file, tokenAt: '/token' }, { baseUrl, defaultModel: 'fake-model' })
    },
  })
  expect(await post(dashboard, 'mine/start')).toEqual([200, { type: 'trying' }])
  await post(dashboard, 'mine/cancel')
  const left = await find(dashboard)
  expect([left?.state, left?.step]).toEqual(['good', undefined])
  vendor.closeAllConnections()
  vendor.close()
})

test.each([
  ['javascript:alert(1)', undefined],
  ['http://far.example/device', undefined],
  ['https://near.example/device', 'data:text/html,x'],
])('a server that sends people to %s ends the login', async (address, full) => {
  const server = createServer((_request, response) => {
    const code = { device_code: 'd', user_code: 'U', verification_uri: address, expires_in: 600 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...code, ...(full === undefined ? {} : { verification_uri_complete: full }) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await using dashboard = await openTestDashboard({
    prepare: (home) => writeProvider(home, { ...oauth(url), issuer: undefined, deviceUrl: `${url}/device`, tokenUrl: `${url}/token` }),
  })
  expect(await post(dashboard, 'mine/start')).toEqual([
    502,
    { code: 'LOGIN_FAILED', message: expect.stringMatching(/sends people to a page that is not encrypted/) },
  ])
  server.closeAllConnections()
  server.close()
})
