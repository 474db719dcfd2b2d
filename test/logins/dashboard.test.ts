// @module-tag server
import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { logIn, openStage } from './login-stage.ts'
import { browse, type OidcServer, startOidcServer } from './oidc-server.ts'

proves(
  ['auth.dashboard.oidc', 'env.dashboard.oidc'],
  'who is known to the provider and let in here comes back to the page that was asked for',
  async () => {
    await using server = await startOidcServer()
    await using stage = await openStage(server)
    const me = await stage.dashboard.askBare('GET', '/api/auth/me')
    expect(me.body).toEqual({ required: true, admitted: false, ways: { password: false, provider: new URL(server.issuer).host } })
    const ends = [await logIn(stage, 'ann', '?profile=default#/logs'), await logIn(stage, 'eve'), await logIn(stage, 'mallory', '#/logs')]
    expect(ends).toEqual([
      { end: '/?profile=default#/logs', admitted: true },
      { end: '/', admitted: true },
      { end: '/?login=refused#/logs', admitted: false },
    ])
    const audit = stage.dashboard.home.read('logs/dashboard-auth.log')
    expect(audit.match(/"event":"login\.\w+"/g)).toEqual(['"event":"login.done"', '"event":"login.done"', '"event":"login.refused"'])
    expect(audit).toContain('"subject":"mallory"')
  },
)

test('a client that has a secret proves it, and a wrong one is no login', async () => {
  await using server = await startOidcServer({ clientSecret: 'the secret of the client' })
  const ends: unknown[] = []
  for (const secret of ['the secret of the client', 'another']) {
    await using stage = await openStage(server, { AGENT_DASHBOARD_OIDC_CLIENT_SECRET: secret })
    ends.push(await logIn(stage, 'ann'))
  }
  expect(ends).toEqual([
    { end: '/', admitted: true },
    { end: '/?login=failed', admitted: false },
  ])
})

test.each([
  ['another person', (claims: object) => ({ ...claims, sub: 'ann' })],
  ['another nonce', (claims: object) => ({ ...claims, nonce: 'n' })],
  ['another client', (claims: object) => ({ ...claims, aud: 'another' })],
  ['no claim changed, and no signature that fits', (claims: object) => ({ ...claims, more: 1 })],
])('an ID token that was forged is no login: %s', async (_name, change) => {
  const forge = (token: string): string => {
    const [head, body = '', signature] = token.split('.')
    const claims = change(JSON.parse(Buffer.from(body, 'base64url').toString()) as object)
    return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  }
  await using server = await startOidcServer({ forge })
  await using stage = await openStage(server, { AGENT_DASHBOARD_OIDC_ALLOWED_USERS: '*' })
  expect(await logIn(stage, 'eve')).toEqual({ end: '/?login=failed', admitted: false })
})

test('a login is ended only by the browser that began it, and once', async () => {
  await using server = await startOidcServer()
  await using stage = await openStage(server)
  const begin = async (): Promise<{ readonly away: string; readonly kept: string }> => {
    const { headers } = await stage.dashboard.askBare('GET', '/auth/login', { headers: { host: stage.url.slice('http://'.length) } })
    expect(headers['set-cookie']?.[0]).toMatch(/^agent_login=[^;]+; Path=\/auth; HttpOnly; SameSite=Lax; Max-Age=600$/)
    return { away: String(headers.location), kept: headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
  }
  const comeBack = async (path: string, cookie: string): Promise<readonly [unknown, boolean]> => {
    const { headers } = await stage.dashboard.askBare('GET', path, { headers: { cookie } })
    const cookies = headers['set-cookie'] ?? []
    return [headers.location, Array.from(cookies).some((each) => each.startsWith('agent_session='))]
  }
  const [mine, other] = [await begin(), await begin()]
  const asked = new URL(mine.away).searchParams
  expect([asked.get('code_challenge_method'), asked.get('response_type')]).toEqual(['S256', 'code'])
  for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name), name).toMatch(/^[\w-]{43}$/)
  // The browser of somebody else, who was made to open the address that this login comes back to.
  const stopped = await browse(mine.away, { name: 'ann' })
  expect(stopped.address).toMatch(/\?login=failed$/)
  const cookies = new Map<string, string>()
  const code = await codeOf(other.away, cookies)
  const spoiled = `${other.kept.slice(0, -3)}abc`
  expect(await comeBack(code, mine.kept)).toEqual(['../?login=failed', false])
  expect(await comeBack(code.replace(/state=[^&]+/, `state=${asked.get('state')}`), other.kept)).toEqual(['../?login=failed', false])
  expect(await comeBack(code, spoiled)).toEqual(['../?login=failed', false])
  expect(await comeBack(code, other.kept)).toEqual(['../', true])
  expect(await comeBack(code, other.kept)).toEqual(['../?login=failed', false])
})

/** The path by which the provider sends the browser back, taken off before the browser goes there. */
async function codeOf(away: string, cookies: Map<string, string>): Promise<string> {
  let path = ''
  const real = globalThis.fetch
  const url = new URL(away).searchParams.get('redirect_uri') ?? ''
  const caught: typeof fetch = async (input, init) => {
    if (!String(input).startsWith(url)) return real(input, init)
    path = String(input).slice(new URL(url).origin.length)
    return new Response('')
  }
  await browse(away, { name: 'ann', cookies, fetch: caught })
  return path
}

test('no address of the login leads elsewhere', async () => {
  await using server = await startOidcServer()
  await using stage = await openStage(server)
  for (const to of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '?x=1\r\nset-cookie: a=b',
    '#/../../evil',
    '@evil.example',
  ]) {
    const { end } = await logIn(stage, 'ann', to)
    expect(end, to).toMatch(/^\/(?:#\/\.\.\/\.\.\/evil)?$/)
  }
})

test('who logs out is sent to the end of the login at the provider', async () => {
  await using server = await startOidcServer()
  await using stage = await openStage(server)
  const cookies = new Map<string, string>()
  const { text } = await browse(`${stage.url}/auth/login`, { name: 'ann', cookies })
  const token = /name="agent-token" content="([\w-]{43})"/.exec(text)?.[1] ?? ''
  const cookie = `agent_session=${cookies.get('agent_session')}`
  const headers = { cookie, 'x-agent-session-token': token, host: stage.url.slice('http://'.length) }
  const { body } = await stage.dashboard.askBare('POST', '/api/auth/logout', { headers })
  const next = new URL(String(body.next))
  expect([next.origin, next.searchParams.get('post_logout_redirect_uri')]).toEqual([server.issuer, `${stage.url}/`])
  expect((await stage.dashboard.askBare('GET', '/api/auth/me', { headers })).body.admitted).toBe(false)
})

test('a provider that is away is told on the page', async () => {
  await using server = await startOidcServer()
  await using stage = await openStage(server, { AGENT_DASHBOARD_OIDC_ISSUER: 'http://127.0.0.1:1' })
  expect((await logIn(stage, 'ann', '#/logs')).end).toBe('/?login=failed#/logs')
})

test.each([
  ['nobody is let in', { AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS: undefined, AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS: undefined }, /names nobody/],
  ['no client id', { AGENT_DASHBOARD_OIDC_CLIENT_ID: undefined }, /CLIENT_ID/],
  ['no encryption', { AGENT_DASHBOARD_OIDC_ISSUER: 'http://id.example' }, /https:/],
])('settings by which nobody could log in, or anybody, stop the start: %s', async (_name, more, words) => {
  const opened = openStage({ issuer: 'https://id.example', clientId: 'agent' } as OidcServer, more)
  const failed = await opened.then((stage) => stage[Symbol.asyncDispose]()).catch((error: unknown) => error)
  expect(isAgentError(failed, 'ENV_INVALID')).toBe(true)
  expect(String(failed)).toMatch(words)
})
