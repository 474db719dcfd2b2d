// @module-tag server
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { logIn, openStage } from './login-stage.ts'
import { startOidcServer } from './oidc-server.ts'

const callback = 'http://127.0.0.1:9119/auth/callback'
const ownLines = `# mine\n  export  OTHER = "a # b"   # stays\n\n`
/** The login then reads `.env` alone. */
const fromFile = { AGENT_DASHBOARD_OIDC_ISSUER: undefined, AGENT_DASHBOARD_OIDC_CLIENT_ID: undefined }

const register = (home: TestHome, ...words: string[]) => runHere(home, ['dashboard', 'register', ...words])

proves(
  ['auth.dashboard.oauth', 'cli.dashboard.register', 'env.dashboard.oauth-client-id'],
  'a dashboard that has registered itself lets people in by that client, and so does a client id of the environment',
  async () => {
    await using server = await startOidcServer({ registration: true })
    using home = openTestHome()
    home.write('.env', `${ownLines}AGENT_DASHBOARD_OIDC_ISSUER=${server.issuer}\n`)
    const { code, out } = await register(home, '--redirect-uri', callback)
    const { AGENT_DASHBOARD_OIDC_CLIENT_ID: id = '', AGENT_DASHBOARD_OIDC_CLIENT_SECRET: secret = '' } = parseEnv(home.read('.env'))
    expect(home.read('.env')).toBe(
      `${ownLines}AGENT_DASHBOARD_OIDC_ISSUER=${server.issuer}\nAGENT_DASHBOARD_OIDC_CLIENT_ID=${id}\nAGENT_DASHBOARD_OIDC_CLIENT_SECRET=${secret}\n`,
    )
    expect([id.length > 10, secret.length > 10, statSync(join(home.home, '.env')).mode & 0o777]).toEqual([true, true, 0o600])
    expect([code, out]).toEqual([0, expect.stringContaining(`as ${id}; logins come back to ${callback}.\n`)])
    expect(out).toContain('AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS')
    expect(out).not.toContain(secret)
    await using stage = await openStage(server, fromFile, home.read('.env'))
    expect(await logIn(stage, 'ann', '#/logs')).toEqual({ end: '/#/logs', admitted: true })
    const portal = { AGENT_DASHBOARD_OIDC_CLIENT_ID: undefined, AGENT_DASHBOARD_OAUTH_CLIENT_ID: server.clientId }
    await using other = await openStage(server, portal)
    expect(await logIn(other, 'ann')).toEqual({ end: '/', admitted: true })
  },
)

test('a client that is there stays until somebody asks for another', async () => {
  await using server = await startOidcServer({ registration: true })
  using home = openTestHome()
  home.write('config.yaml', 'dashboard: { public_url: "https://agent.example.org", base_path: /agent }\n')
  const before = `AGENT_DASHBOARD_OAUTH_CLIENT_ID=mine\nAGENT_DASHBOARD_OIDC_ALLOWED_USERS=ann\n`
  home.write('.env', before)
  const kept = await register(home, '--issuer', server.issuer)
  expect([kept.code, kept.note, home.read('.env')]).toEqual([1, expect.stringMatching(/client id mine .*--again/), before])
  const asJson = await register(home, '--issuer', server.issuer, '--json')
  expect(JSON.parse(asJson.out)).toMatchObject({ error: { code: 'DASHBOARD_REGISTERED' } })
  const { code, out } = await register(home, '--issuer', server.issuer, '--again', '--json')
  const { AGENT_DASHBOARD_OIDC_CLIENT_ID: clientId } = parseEnv(home.read('.env'))
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      ...{ issuer: server.issuer, clientId, replaced: 'mine', hasSecret: true, file: join(home.home, '.env') },
      ...{ redirectUri: 'https://agent.example.org/agent/auth/callback', next: [expect.stringContaining('next start')] },
    },
  ])
  // The provider knows where a logout comes back to, and lets it come back nowhere else.
  const endAt = async (back: string): Promise<number> => {
    const query = new URLSearchParams({ client_id: clientId ?? '', post_logout_redirect_uri: back })
    return (await fetch(`${server.issuer}/session/end?${query}`)).status
  }
  expect([await endAt('https://agent.example.org/agent/'), await endAt('https://agent.example.org/')]).toEqual([200, 400])
})

test('a variable of the environment that holds before what was kept is named', async () => {
  await using server = await startOidcServer({ registration: true })
  using home = openTestHome()
  const environment = { AGENT_DASHBOARD_OIDC_CLIENT_ID: 'of-the-environment', AGENT_DASHBOARD_OIDC_ISSUER: server.issuer }
  const words = ['dashboard', 'register', '--redirect-uri', callback, '--again']
  const { code, out } = await runHere(home, words, { environment })
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('AGENT_DASHBOARD_OIDC_CLIENT_ID is set in the environment, and holds before .env'),
  ])
  expect(out).not.toContain('AGENT_DASHBOARD_OIDC_ISSUER is set')
})

test('the initial access token comes from a file, and is shown nowhere', async () => {
  await using server = await startOidcServer({ registration: 'let-me-register' })
  using home = openTestHome()
  const words = ['--issuer', server.issuer, '--redirect-uri', callback]
  const without = await register(home, ...words)
  expect([without.code, without.note]).toEqual([1, expect.stringContaining('--token-file FILE')])
  const withToken = (text: string) => register(home, ...words, '--token-file', home.write('token', text))
  const refused = await withToken('another-token\n')
  expect([refused.code, refused.note]).toEqual([1, expect.stringContaining('it refused with status 401')])
  expect((await withToken('two words')).code).toBe(2)
  expect((await register(home, ...words, '--token-file', 'nowhere')).code).toBe(2)
  const taken = await withToken('let-me-register\n')
  expect(taken.code).toBe(0)
  for (const { out, note } of [refused, taken]) expect(out + note).not.toMatch(/another-token|let-me-register/)
})

test.each([
  ['no provider', [], 'identity provider'],
  ['a provider without encryption', ['--issuer', 'http://id.example.org'], 'https://'],
  ['no address of the dashboard', ['--issuer', 'https://id.example.org'], 'dashboard.public_url'],
  [
    'an address that the login does not serve',
    ['--issuer', 'https://id.example.org', '--redirect-uri', 'https://a.example/'],
    '/auth/callback',
  ],
])('what was left out is named, and nothing is asked: %s', async (_name, words, said) => {
  using home = openTestHome()
  const { code, note } = await register(home, ...words)
  expect([code, note]).toEqual([2, expect.stringContaining(said)])
})
