// @module-tag server
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { command as auth } from '../../../../host/src/cli/commands/auth.ts'
import { command as mcp } from '../../../../host/src/cli/mcp/command.ts'
import { changeAuthFile } from '../../../../host/src/config/auth/auth-file.ts'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { createServiceLogins } from '../../../../host/src/models/credentials/service-logins.ts'
import { type GuardedServer, startGuardedServer } from '../../../../test/logins/guarded-server.ts'
import { browse, type OidcServer, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { openToolset } from '../test/open-toolset.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))

const startAccounts = (): Promise<OidcServer> => startOidcServer({ registration: true, scopesOfResources: 'tools' })

function configure(home: TestHome, { url }: GuardedServer, more: object = {}): void {
  home.write('config.yaml', JSON.stringify({ mcp_servers: { desk: { url, ...more } } }))
}

type More = Partial<Parameters<typeof runCommand>[2]>
const run = (home: TestHome, words: readonly string[], more: More = {}) =>
  runCommand(mcp, words, { installRoot, environment: home.environment, ...more })

/** Opens the address that the command prints, which a person may see changed on the way. */
const inBrowser = (change: (address: string) => string = (address) => address): More => ({
  onNote: (line) => void (line.startsWith('Open this address') && browse(change(line.split('\n')[1] ?? ''))),
})

const authOf = (home: TestHome): string => join(home.home, 'auth.json')
const loginIn = (home: TestHome) => JSON.parse(readFileSync(authOf(home), 'utf8')).logins['mcp:desk']

/** The toolset with the logins of a home, as the host gives them. */
function open(home: TestHome, { url }: GuardedServer, more: object = {}) {
  const { signal } = new AbortController()
  const logins = createServiceLogins({
    ...{ files: [authOf(home)], clock: systemClock, signal, random: Math.random, keepSecret: () => undefined },
  })
  return openToolset({ desk: { url, trust: 'full', ...more } }, new Map(), logins)
}

/** What a search says of the server. */
async function stateOf(home: TestHome, server: GuardedServer, more: object = {}): Promise<string | undefined> {
  await using opened = await open(home, server, more)
  const { sources } = await opened.list()
  return sources[0]?.text
}

test('a login by the browser: a server without one is named, agent registers itself, the tools are there, and it is forgotten', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  configure(home, server)
  expect(await stateOf(home, server)).toBe('The MCP server desk cannot be used: it wants a login; agent mcp login desk begins one.')
  const done = await run(home, ['login', 'desk'], inBrowser())
  expect([done.out, done.code]).toEqual([`Logged in to desk, by ${new URL(accounts.issuer).host}.\n`, 0])
  expect(await stateOf(home, server)).toBe('The MCP server desk has 1 tools.')
  const { access, refresh, service } = loginIn(home)
  expect(service).toEqual({ url: server.url, issuer: accounts.issuer, tokenUrl: `${accounts.issuer}/token`, resource: server.url })
  expect([server.shown.at(-1), typeof refresh]).toEqual([access, 'string'])
  expect(`${done.out}${done.note}`).not.toContain(access)
  const listed = await runCommand(auth, ['list'], { installRoot, environment: home.environment })
  expect(listed.out).toMatch(/^mcp:desk +pkce +good +good until .*, and renewed\n$/)
  expect(await run(home, ['logout', 'desk'])).toMatchObject({ code: 0, out: 'The login with desk is forgotten.\n' })
  expect(await run(home, ['logout', 'desk'])).toMatchObject({ code: 1 })
  expect(await stateOf(home, server)).toContain('it wants a login')
})

test('a token that is refused is renewed once by all calls; one that is withdrawn is named, and so is a login for something else', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  configure(home, server)
  await run(home, ['login', 'desk'], inBrowser())
  await using desk = await open(home, server)
  await desk.list()
  expect(await desk.run('mcp_desk_tickets')).toEqual({ ok: true, text: 'two tickets' })
  spoil(home, { access: 'gone-by-now' })
  // A second process has the same login.
  await using other = await open(home, server)
  await other.list()
  const all = await Promise.all([desk, desk, other].map((one) => one.run('mcp_desk_tickets')))
  expect(all.map(({ ok }) => ok)).toEqual([true, true, true])
  expect(accounts.grants).toEqual(['authorization_code', 'refresh_token'])
  expect(await accounts.audienceOf(loginIn(home).access)).toBe(server.url)
  server.want('tools:write')
  expect(await desk.run('mcp_desk_tickets')).toMatchObject({
    error: {
      params: {
        detail: expect.stringContaining("its login is not for this; agent mcp login desk --scope 'tools:write' begins one that is"),
      },
    },
  })
  spoil(home, { access: 'gone-by-now', refresh: 'withdrawn' })
  expect(await desk.run('mcp_desk_tickets')).toMatchObject({
    error: { params: { detail: expect.stringMatching(/its login has ended \(invalid_grant.*\); agent mcp login desk begins another/) } },
  })
})

test('a login goes to the address that it was made with, and to no other; a header of the settings holds before it', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using foreign = await startGuardedServer({ accounts })
  configure(home, server)
  await run(home, ['login', 'desk'], inBrowser())
  expect(await stateOf(home, foreign)).toContain('its login has ended (it was made with another address, ')
  expect(new Set(foreign.shown)).toEqual(new Set(['']))
  await stateOf(home, server, { headers: { Authorization: 'Bearer mine' } })
  expect(server.shown.at(-1)).toBe('mine')
  await run(home, ['remove', 'desk'])
  expect(loginIn(home)).toBeUndefined()
})

test('a client of the settings is used; where there is none and nobody registers programs, that is said', async () => {
  using home = openTestHome()
  await using accounts = await startOidcServer({ scopesOfResources: 'tools' })
  await using server = await startGuardedServer({ accounts })
  configure(home, server)
  expect((await run(home, ['login', 'desk'])).note).toContain(
    'does not let programs register themselves; make a client there with the redirect address http://127.0.0.1:27890/callback, and put its id into mcp_servers.desk.oauth.client_id',
  )
  configure(home, server, { oauth: { client_id: accounts.clientId, scope: 'tools' } })
  expect(await run(home, ['login', 'desk'], inBrowser())).toMatchObject({ code: 0 })
  expect(loginIn(home).clientId).toBe(accounts.clientId)
})

test('the secret of a client goes only to whom the settings name', async () => {
  using home = openTestHome()
  await using accounts = await startOidcServer({ scopesOfResources: 'tools', clientSecret: 'mine alone' })
  await using server = await startGuardedServer({ accounts })
  const oauth = { client_id: accounts.clientId, client_secret: 'mine alone' }
  configure(home, server, { oauth })
  const unnamed = await run(home, ['login', 'desk'], inBrowser())
  expect([unnamed.error, unnamed.note]).toEqual([
    'LOGIN_FAILED',
    expect.stringContaining(`if you made the client there, set mcp_servers.desk.oauth.issuer to ${accounts.issuer}`),
  ])
  configure(home, server, { oauth: { ...oauth, issuer: 'https://accounts.example' } })
  const other = await run(home, ['login', 'desk'], inBrowser())
  expect(other.note).toContain(`the server names ${accounts.issuer}, and mcp_servers.desk.oauth.issuer is https://accounts.example`)
  expect(accounts.grants).toEqual([])
  configure(home, server, { oauth: { ...oauth, issuer: accounts.issuer } })
  expect(await run(home, ['login', 'desk'], inBrowser())).toMatchObject({ code: 0 })
  expect([accounts.grants, loginIn(home).clientSecret]).toEqual([['authorization_code'], 'mine alone'])
  expect(loginIn(home).service.clientAuth).toBe('client_secret_basic')
})

test('a server that takes no token at all uses up one renewal a minute', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  let isShut = false
  const audienceOf: OidcServer['audienceOf'] = async (token) => (isShut ? undefined : accounts.audienceOf(token))
  await using server = await startGuardedServer({ accounts: { issuer: accounts.issuer, audienceOf } })
  configure(home, server)
  await run(home, ['login', 'desk'], inBrowser())
  await using desk = await open(home, server)
  await using other = await open(home, server)
  for (const one of [desk, other]) await one.list()
  isShut = true
  for (const one of [desk, desk, other, desk]) {
    const { error } = (await one.run('mcp_desk_tickets')) as { readonly error?: object }
    expect(error).toMatchObject({
      params: { detail: expect.stringContaining('it does not take its login; agent mcp login desk begins another') },
    })
  }
  const once = ['authorization_code', 'refresh_token']
  expect(accounts.grants).toEqual(once)
  spoil(home, { renewedAt: systemClock.now() - 61_000 })
  await desk.run('mcp_desk_tickets')
  expect(accounts.grants).toEqual([...once, 'refresh_token'])
})

test('another state is passed over, and an answer of another issuer is refused', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  configure(home, server)
  const forged: string[] = []
  const onNote = async (line: string): Promise<void> => {
    if (!line.startsWith('Open this address')) return
    const address = new URL(line.split('\n')[1] ?? '')
    const back = address.searchParams.get('redirect_uri')
    const answer = await fetch(`${back}?code=stolen&state=other&iss=${accounts.issuer}`)
    forged.push(`${answer.status} ${await answer.text()}`)
    await fetch(`${back}?code=stolen&state=${address.searchParams.get('state')}&iss=https://evil.example`)
  }
  const done = await run(home, ['login', 'desk'], { onNote: (line) => void onNote(line) })
  expect(forged).toEqual(['400 This is no answer to a login.\n'])
  expect([done.error, done.note]).toEqual(['LOGIN_FAILED', expect.stringMatching(/The login to desk did not succeed: .*iss/)])
  expect(accounts.grants).toEqual([])
})

type Answer = NonNullable<Parameters<typeof startGuardedServer>[0]['answer']>
const issuerAt = '/.well-known/oauth-authorization-server'
const sends =
  (path: string, head: [number, Record<string, string>], body = '{}'): Answer =>
  (url, response) => {
    if (!url.startsWith(path)) return false
    response.writeHead(...head).end(body)
    return true
  }

test.each<[string, { about?: object; answer?: Answer }, RegExp]>([
  ['is for another server', { about: { resource: 'https://other.example/mcp' } }, /gives out logins for https:\/\/other\.example\/mcp/],
  ['is on a page that is not encrypted', { about: { authorization_servers: ['http://198.51.100.7'] } }, /which is not encrypted/],
  [
    'describes itself elsewhere',
    { answer: sends('/.well-known/oauth-protected', [302, { location: 'https://evil.example' }]) },
    /sends elsewhere/,
  ],
  ['is a book', { answer: sends('/.well-known/oauth-protected', [200, {}], ' '.repeat(300_000)) }, /is too long/],
  ['cannot be said now', { answer: sends('/.well-known/oauth-protected', [503, {}]) }, /cannot answer now \(HTTP 503\); try again later/],
  ['is nowhere', { answer: sends('/.well-known/oauth-protected', [404, {}]) }, /says nowhere who gives logins/],
])('a login that %s is refused, and nothing is kept', async (_name, { about = {}, answer = () => false }, said) => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts, about: { ...about }, answer })
  configure(home, server)
  const { error, note } = await run(home, ['login', 'desk'])
  expect([error, note]).toEqual(['LOGIN_FAILED', expect.stringMatching(said)])
})

test.each<[string, (issuer: string) => object, RegExp]>([
  ['says that it is another', () => ({ issuer: 'https://evil.example' }), /says that it is https:\/\/evil\.example/],
  ['takes a code without a proof', (issuer) => ({ issuer, code_challenge_methods_supported: ['plain'] }), /PKCE with S256/],
  ['names the page of another', (issuer) => ({ issuer, authorization_endpoint: 'https://127.0.0.1:1/a' }), /names different hosts/],
  [
    'has clients registered with another',
    (issuer) => ({ issuer, registration_endpoint: 'https://127.0.0.1:1/r' }),
    /names different hosts/,
  ],
  [
    'has a name of 3 KB',
    (issuer) => ({ issuer, registration_endpoint: `${issuer}/${'r'.repeat(3000)}` }),
    /says nowhere how it gives logins/,
  ],
  ['names a page without encryption', (issuer) => ({ issuer, authorization_endpoint: 'http://pages.example/a' }), /not encrypted/],
])('who gives logins and %s is refused', async (_name, change, said) => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  let own = ''
  const answer: Answer = (url, response) => {
    const good = { authorization_endpoint: `${own}/a`, token_endpoint: `${own}/t`, code_challenge_methods_supported: ['S256'] }
    return sends(issuerAt, [200, {}], JSON.stringify({ ...good, ...change(own) }))(url, response)
  }
  const about: { authorization_servers?: readonly string[] } = {}
  await using server = await startGuardedServer({ accounts, about, answer })
  own = new URL(server.url).origin
  about.authorization_servers = [own]
  configure(home, server)
  expect((await run(home, ['login', 'desk'])).note).toMatch(said)
})

test('pages of several hosts are taken where answers say who gave them, and an answer that does not is refused', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  let own = ''
  const answer: Answer = (url, response) => {
    const good = { token_endpoint: `${own}/t`, code_challenge_methods_supported: ['S256'] }
    const body = {
      ...good,
      issuer: own,
      authorization_endpoint: `${accounts.issuer}/auth`,
      authorization_response_iss_parameter_supported: true,
    }
    return sends(issuerAt, [200, {}], JSON.stringify(body))(url, response)
  }
  const about: { authorization_servers?: readonly string[] } = {}
  await using server = await startGuardedServer({ accounts, about, answer })
  own = new URL(server.url).origin
  about.authorization_servers = [own]
  configure(home, server, { oauth: { client_id: accounts.clientId } })
  const { error, note } = await run(home, ['login', 'desk'], inBrowser())
  expect([error, note]).toEqual(['LOGIN_FAILED', expect.stringMatching(/The login to desk did not succeed: .*iss/)])
})

test('an id of 3 KB that a service gives is refused', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  let own = ''
  const answer: Answer = (url, response) => {
    const good = { authorization_endpoint: `${own}/a`, token_endpoint: `${own}/t`, code_challenge_methods_supported: ['S256'] }
    const body = JSON.stringify({ ...good, issuer: own, registration_endpoint: `${own}/r` })
    if (sends('/r', [201, {}], JSON.stringify({ client_id: 'x'.repeat(3000) }))(url, response)) return true
    return sends(issuerAt, [200, {}], body)(url, response)
  }
  const about: { authorization_servers?: readonly string[] } = {}
  await using server = await startGuardedServer({ accounts, about, answer })
  own = new URL(server.url).origin
  about.authorization_servers = [own]
  configure(home, server)
  expect((await run(home, ['login', 'desk'])).note).toContain('did not register agent (HTTP 201)')
})

test('an address that describes the client stands for it where that is read; who is not let in is told so', async () => {
  using home = openTestHome()
  await using accounts = await startAccounts()
  let own = ''
  const answer: Answer = (url, response) => {
    const good = { authorization_endpoint: `${own}/a`, token_endpoint: `${own}/t`, code_challenge_methods_supported: ['S256'] }
    const body = JSON.stringify({ ...good, issuer: own, client_id_metadata_document_supported: true })
    return sends(issuerAt, [200, {}], body)(url, response)
  }
  const about: { authorization_servers?: readonly string[] } = {}
  await using server = await startGuardedServer({ accounts, about, answer })
  own = new URL(server.url).origin
  about.authorization_servers = [own]
  const client = 'https://agent.example/client.json'
  configure(home, server, { oauth: { client_id: client } })
  let asked: URLSearchParams | undefined
  const onNote = (line: string): void => {
    if (!line.startsWith('Open this address')) return
    asked = new URL(line.split('\n')[1] ?? '').searchParams
    void fetch(`${asked.get('redirect_uri')}?error=access_denied&state=${asked.get('state')}`)
  }
  const { note } = await run(home, ['login', 'desk'], { onNote })
  expect(note).toContain('The login to desk did not succeed: access_denied.')
  const { client_id, redirect_uri, resource, scope, code_challenge_method: way } = Object.fromEntries(asked ?? [])
  expect([client_id, resource, scope, way]).toEqual([client, server.url, 'tools', 'S256'])
  expect(redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
})

function spoil(home: TestHome, change: object): void {
  changeAuthFile(authOf(home), (data) => {
    const login = data.logins['mcp:desk']
    if (!login) throw new Error('no login')
    // Not right after a renewal.
    return { data: { ...data, logins: { ...data.logins, 'mcp:desk': { ...login, renewedAt: undefined, ...change } } }, result: undefined }
  })
}
