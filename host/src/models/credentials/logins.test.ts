// @module-tag server
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProviderManifest } from '@agent/plugin-sdk'
import { deviceCode } from '@agent/plugin-sdk/oauth'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeAuthFile, readAuthFile } from '#config/auth/auth-file.ts'
import { forgetLogin, keepLogin } from '#config/auth/auth-store.ts'
import { systemClock } from '#kernel/clock.ts'
import { browse, type OidcServer, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeRequest } from '../../../../test/support/fakes/fake-vendor.ts'
import { openModels } from '../open.ts'
import { collect, createProvider, createRequest, createTestCall } from '../testing/model-call.ts'
import { createLoginTokens } from './login-tokens.ts'
import { openCredentials } from './open-credentials.ts'
import { timesOf } from './renew.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logins-'))
  file = join(folder, 'auth.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const { signal } = new AbortController()
const silent = { debug() {}, info() {}, warn() {}, error() {} }
/** Time that a test sets; pauses of a login that waits to be typed in are over at once. */
const clock = { off: 0, now: () => Date.now() + clock.off, sleep: systemClock.sleep }
beforeEach(() => {
  clock.off = 0
})

const scopes = ['openid', 'offline_access']
const loginOf = (server: OidcServer): NonNullable<ProviderManifest['login']> => ({
  ...{ kind: 'device-code', grant: 'device-code', issuer: server.issuer, clientId: server.clientId, scopes, renewSeconds: 120 },
})

/** Logs in, and keeps it as `agent login` does. */
async function logIn(server: OidcServer, off = 0): Promise<string> {
  const client = { name: 'fake', issuer: server.issuer, clientId: server.clientId, scopes }
  const quick = { now: clock.now, sleep: (ms: number, of?: AbortSignal) => (ms === 5000 ? Promise.resolve() : systemClock.sleep(ms, of)) }
  const tokens = await deviceCode(client, { clock: quick, signal, show: ({ fullAddress = '' }) => void browse(fullAddress) })
  const now = Date.now() + off
  keepLogin(file, 'fake', {
    ...{ kind: 'device-code', at: now, clientId: server.clientId, access: tokens.access },
    ...{ ...(tokens.refresh ? { refresh: tokens.refresh } : {}), ...timesOf(tokens, now, 120_000) },
  })
  return tokens.access
}

const bearer = ({ headers }: FakeRequest): string => String(headers.authorization).replace('Bearer ', '')
const stored = () => readAuthFile(file).logins.fake

function open(spec: Partial<ProviderManifest>, more: { variables?: Record<string, string>; baseUrl?: string } = {}) {
  const provider = createProvider({ id: 'fake', protocol: 'openai-chat', auth: 'login', ...spec })
  const secrets: string[] = []
  const models = openModels({
    catalog: { of: () => [provider] },
    activator: { entry: <T>() => Promise.reject<T>(new Error('no code here')) },
    context: () => Promise.reject(new Error('no code here')),
    config: { model: more.baseUrl ? { provider: 'fake', base_url: more.baseUrl } : {} },
    environment: { get: (name) => more.variables?.[name] },
    environmentFile: '/home/.env',
    credential: openCredentials({
      ...{ files: [file], loggedIn: () => new Set(Object.keys(readAuthFile(file).logins)), clock, signal, random: Math.random },
      strategyOf: () => 'fill_first',
      keepSecret: (secret) => secrets.push(secret),
    }),
    ...{ clock: systemClock, log: silent, timeoutMs: 900_000, newCallId: () => 'call_made' },
  })
  const ask = async () => {
    const chat = await models.model({ provider: 'fake', model: 'fake-model' })
    return (await collect(chat.stream(createRequest(), createTestCall()))).at(-1)
  }
  return { ask, secrets }
}

test('a login proves who asks, and its tokens are kept out of the logs; without one it is asked for', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  const { ask, secrets } = open({ login: loginOf(server), baseUrl: vendor.url })
  expect(await ask()).toMatchObject({ type: 'failed', class: 'auth', error: { code: 'LOGIN_NEEDED', params: { provider: 'fake' } } })
  const token = await logIn(server)
  expect(await ask()).toMatchObject({ type: 'end' })
  expect(vendor.requests.map(bearer)).toEqual([token])
  expect(secrets).toEqual([token, stored()?.refresh])
  forgetLogin(file, 'fake')
  expect(await ask()).toMatchObject({ error: { code: 'LOGIN_NEEDED' } })
})

test('a token is renewed before it ends, once for all who ask at that time', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  const token = await logIn(server)
  const { ask } = open({ login: loginOf(server), baseUrl: vendor.url })
  clock.off = 3_490_000
  await Promise.all([ask(), ask(), ask(), ask()])
  expect(renewals(server)).toBe(1)
  expect(new Set(vendor.requests.map(bearer))).toEqual(new Set([stored()?.access]))
  expect(stored()).toMatchObject({ generation: 2, access: expect.not.stringMatching(token) })
  expect(stored()).not.toHaveProperty('lease')
})

const renewals = ({ grants }: OidcServer): number => grants.filter((grant) => grant === 'refresh_token').length

for (const off of [-600_000, 600_000]) {
  test(`a clock that is ${off / 60_000} minutes off, at all times or only when the person logged in, costs one renewal at most and no login`, async () => {
    await using server = await startOidcServer({ lasts: 300 })
    let over: string | undefined
    await using vendor = await startFakeOpenai({
      answers: (request) => (bearer(request) === over ? { refuse: { status: 401, message: 'it has run out' } } : { text: 'Yes.' }),
    })
    const { ask } = open({ login: loginOf(server), baseUrl: vendor.url })
    clock.off = off
    const token = await logIn(server, off)
    expect([(await ask())?.type, renewals(server)]).toEqual(['end', 0])
    // Set right later: what is good for long seems over, or what is over seems good.
    clock.off = 0
    if (off > 0) over = token
    expect([(await ask())?.type, renewals(server)]).toEqual(['end', 1])
    expect([(await ask())?.type, renewals(server)]).toEqual(['end', 1])
  })
}

test('a refused token is renewed at once; a new one that is refused as well is the answer', async () => {
  await using server = await startOidcServer()
  const token = await logIn(server)
  await using vendor = await startFakeOpenai({
    answers: (request) => (bearer(request) === token ? { refuse: { status: 401, message: 'gone' } } : { text: 'Yes.' }),
  })
  const { ask } = open({ login: loginOf(server), baseUrl: vendor.url })
  expect(await ask()).toMatchObject({ type: 'end' })
  await using closed = await startFakeOpenai({ answers: [{ refuse: { status: 401, message: 'no subscription' } }] })
  expect(await open({ login: loginOf(server), baseUrl: closed.url }).ask()).toMatchObject({ class: 'auth', error: { code: 'MODEL_AUTH' } })
  expect(closed.requests).toHaveLength(2)
})

test('a grant that was withdrawn ends the login with what to do, and the file keeps it; a new login is taken at once', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  await logIn(server)
  changeAuthFile(file, (data) => ({
    data: { ...data, logins: { fake: { ...data.logins.fake, refresh: 'withdrawn' } as never } },
    result: undefined,
  }))
  clock.off = 3_700_000
  const { ask } = open({ login: loginOf(server), baseUrl: vendor.url })
  const failed = await ask()
  expect(failed).toMatchObject({
    class: 'auth',
    error: { code: 'LOGIN_ENDED', params: { detail: expect.stringContaining('invalid_grant') } },
  })
  expect(await ask()).toEqual(failed)
  expect(renewals(server)).toBe(1)
  expect(stored()).toMatchObject({ refresh: 'withdrawn', ended: expect.stringContaining('invalid_grant') })
  await logIn(server, clock.off)
  expect(await ask()).toMatchObject({ type: 'end' })
})

test.each([
  [
    'no whole time',
    { access_token: 'new', token_type: 'bearer', expires_in: 0.0001 },
    200,
    { access: 'new', renewedAt: expect.any(Number) },
  ],
  ['a time beyond all numbers', { access_token: 'new', token_type: 'bearer', expires_in: 8.7e12 }, 200, { access: 'new' }],
  ['a token of a megabyte', { access_token: 'x'.repeat(1_100_000), token_type: 'bearer' }, 200, { access: 'old' }],
  ['a token of 17 KB', { access_token: 'x'.repeat(17_000), token_type: 'bearer' }, 200, { access: 'old' }],
  [
    'a reason of 100 KB',
    { error: 'invalid_grant', error_description: 'x'.repeat(100_000) },
    400,
    { ended: expect.stringMatching(/^.{300}$/) },
  ],
])('a renewal whose answer has %s leaves what can be read again', async (_, answer, status, kept) => {
  const manifest = { ...loginOf({ issuer: 'http://127.0.0.1:1', clientId: 'x' } as OidcServer), tokenUrl: 'http://127.0.0.1:1/token' }
  if (manifest.kind === 'cli') throw new Error('not that one')
  const other = { kind: 'device-code', at: 1, access: 'theirs' } as const
  keepLogin(file, 'other', other)
  keepLogin(file, 'fake', { kind: 'device-code', at: 1, access: 'old', refresh: 'next', renewAt: 1, expiresAt: 1 })
  const tokens = createLoginTokens({
    ...{ provider: 'fake', files: [file], manifest, clock, signal, owner: 'me', random: Math.random, keepSecret: () => undefined },
    fetch: async () => Response.json(answer, { status }),
  })
  await tokens.current(undefined, signal).catch(() => undefined)
  expect(stored()).toMatchObject(kept)
  expect(stored()).not.toHaveProperty('lease')
  expect(readAuthFile(file).logins.other).toEqual({ ...other, generation: 1 })
})

test('where another process was faster after all, its token is taken, and a refusal of the old one ends nothing', async () => {
  await using server = await startOidcServer()
  const manifest = loginOf(server)
  if (manifest.kind === 'cli') throw new Error('not that one')
  keepLogin(file, 'fake', { kind: 'device-code', at: 1, access: 'old', refresh: 'spent', renewAt: 1, expiresAt: 1 })
  const tokens = createLoginTokens({
    ...{ provider: 'fake', files: [file], manifest, clock, signal, owner: 'me', random: Math.random, keepSecret: () => undefined },
    fetch: async (...request) => {
      keepLogin(file, 'fake', { kind: 'device-code', at: 2, access: 'theirs', refresh: 'next' })
      return fetch(...request)
    },
  })
  expect(await tokens.current(undefined, signal)).toEqual({ token: 'theirs' })
  expect(renewals(server)).toBe(1)
  expect(stored()).not.toHaveProperty('ended')
})

test('a server of logins in trouble: a token that is still good is used, one that is over fails by its own name and stays', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  await logIn(server)
  const { ask } = open({ login: loginOf(server), baseUrl: vendor.url })
  server.fail({ status: 429, headers: { 'retry-after': '9' } })
  clock.off = 3_550_000
  expect(await ask()).toMatchObject({ type: 'end' })
  clock.off = 3_700_000
  expect(await ask()).toMatchObject({ class: 'rate_limit', error: { code: 'MODEL_RATE_LIMIT', retryAfterMs: 9000 } })
  server.fail({ status: 503 })
  expect(await ask()).toMatchObject({ class: 'server_error' })
  expect(stored()).toMatchObject({ generation: 1, refresh: expect.any(String) })
  server.fail()
  expect(await ask()).toMatchObject({ type: 'end' })
})

test('a process that held the lease and died is not waited for longer than it lasts, also where the clock was set back', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  await logIn(server)
  const { ask } = open({ login: loginOf(server), baseUrl: vendor.url })
  const lease = (until: number) =>
    changeAuthFile(file, (data) => ({
      data: { ...data, logins: { fake: { ...data.logins.fake, renewAt: 0, lease: { owner: 'dead', until } } as never } },
      result: undefined,
    }))
  lease(Date.now() + 200)
  expect(await ask()).toMatchObject({ type: 'end' })
  lease(Date.now() + 600_000)
  expect(await ask()).toMatchObject({ type: 'end' })
  expect(renewals(server)).toBe(2)
})

test('a login goes to the host of its provider alone, whatever address is set', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  await using other = await startFakeOpenai({})
  await logIn(server)
  const { ask } = open({ login: loginOf(server), baseUrl: vendor.url }, { baseUrl: other.url })
  expect(await ask()).toMatchObject({ type: 'failed', error: { code: 'USAGE', params: { problem: expect.stringContaining('is for') } } })
  expect([vendor.requests, other.requests]).toEqual([[], []])
})

test("another program's login is read where it lies, once a person has said so, and renewed by that program alone", async () => {
  await using vendor = await startFakeOpenai({
    answers: (request) => (bearer(request) === 'tok-old' ? { refuse: { status: 401, message: 'over' } } : { text: 'Yes.' }),
  })
  const path = join(folder, 'other.json')
  const write = (token: string, expires: number) => writeFileSync(path, JSON.stringify({ theirs: { token, expires, account: 'acc-1' } }))
  const login = {
    ...{ kind: 'cli' as const, program: 'Other', file: path, tokenAt: '/theirs/token', expiresAt: '/theirs/expires' },
    headers: { 'x-account': '/theirs/account' },
  }
  const { ask } = open({ login, baseUrl: vendor.url })
  write('tok-1', Date.now() + 60_000)
  expect(await ask()).toMatchObject({ error: { code: 'LOGIN_NEEDED' } })
  keepLogin(file, 'fake', { kind: 'cli', at: 1 })
  expect(await ask()).toMatchObject({ type: 'end' })
  expect(vendor.requests[0]?.headers).toMatchObject({ authorization: 'Bearer tok-1', 'x-account': 'acc-1' })
  write('tok-old', Date.now() + 60_000)
  expect(await ask()).toMatchObject({ error: { code: 'LOGIN_ENDED', params: { detail: expect.stringContaining('Other renews it') } } })
  write('tok-2', Date.now() - 700_000)
  expect(await ask()).toMatchObject({ error: { code: 'LOGIN_ENDED', params: { detail: expect.stringContaining('has run out') } } })
  const before = readFileSync(path, 'utf8')
  rmSync(path)
  expect(await ask()).toMatchObject({ error: { code: 'LOGIN_FAILED', params: { detail: expect.stringContaining('log in there first') } } })
  expect(before).toContain('tok-2')
})

test('a key is exchanged for the token that requests carry, for as long as that lasts by the clock of its server', async () => {
  let made = 0
  await using tokens = await startFakeOpenai({})
  const { createServer } = await import('node:http')
  const exchange = createServer((request, response) => {
    made += 1
    const theirs = Date.now() + 600_000
    response.setHeader('date', new Date(theirs).toUTCString())
    response.writeHead(request.headers.authorization === 'token gho-1' ? 200 : 401)
    response.end(JSON.stringify({ token: `tok-${made}`, expires_at: Math.floor(theirs / 1000) + 1800 }))
  })
  await new Promise<void>((resolve) => exchange.listen(0, '127.0.0.1', resolve))
  const address = exchange.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/token`
  const spec = {
    ...{ auth: 'api-key' as const, keyEnv: ['FAKE_KEY'], baseUrl: tokens.url },
    exchange: { url, scheme: 'token', tokenAt: '/token', expiresAt: '/expires_at' },
  }
  const { ask } = open(spec, { variables: { FAKE_KEY: 'gho-1' } })
  await ask()
  clock.off = 1_600_000
  await ask()
  clock.off = 1_790_000
  await ask()
  expect(tokens.requests.map(bearer)).toEqual(['tok-1', 'tok-1', 'tok-2'])
  expect(await open(spec, { variables: { FAKE_KEY: 'gho-wrong' } }).ask()).toMatchObject({ class: 'auth', error: { code: 'LOGIN_ENDED' } })
  exchange.closeAllConnections()
  exchange.close()
})
