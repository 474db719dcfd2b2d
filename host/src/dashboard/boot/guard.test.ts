// @module-tag process
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, testToken } from '../../../../test/support/servers/open-test-dashboard.ts'

const codeOf = (body: Readonly<Record<string, unknown>>): string => (body.error as { readonly code: string }).code

const profiles = '/api/actions/none/status'

proves(['dashboard.status', 'auth.dashboard.token.public-status'], 'the status needs no token', async () => {
  await using dashboard = await openTestDashboard()
  const { status, body } = await dashboard.askBare('GET', '/api/status')
  expect([status, body.profile, body.authRequired, body.gateway]).toEqual([200, 'default', false, { running: false }])
})

proves('auth.dashboard.token.pinned', 'everything else needs the token, which the environment may choose', async () => {
  await using dashboard = await openTestDashboard()
  const statuses = await Promise.all([
    dashboard.askBare('GET', profiles),
    dashboard.askBare('GET', profiles, { headers: { 'x-agent-session-token': `${testToken}x` } }),
    dashboard.askBare('GET', `${profiles}?x-agent-session-token=${testToken}`),
    dashboard.askBare('POST', '/api/gateway/stop', { body: {} }),
    dashboard.askBare('GET', '//api/actions/none/status'),
    dashboard.askBare('GET', '/API/actions/none/status'),
    dashboard.ask('GET', profiles),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401, 404])
})

test.each([
  ['a name that was rebound', { host: 'evil.example' }, 403],
  ['a page of another origin', { origin: 'https://evil.example' }, 403],
  ['a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
  ['another scheme', { origin: 'chrome-extension://abc' }, 403],
  ['a page without an address', { origin: 'null' }, 200],
  ['a page of a file', { origin: 'file://' }, 200],
  ['localhost', { host: 'localhost:9119' }, 200],
] as const)('%s is answered %#', async (_name, headers, expected) => {
  await using dashboard = await openTestDashboard()
  const { status, body } = await dashboard.askBare('GET', '/api/status', { headers })
  expect([status, status === 403 ? codeOf(body) : undefined]).toEqual([expected, expected === 403 ? 'HTTP_FOREIGN' : undefined])
})

test('a body of another type, one that is no JSON and one that is too large are refused', async () => {
  await using dashboard = await openTestDashboard()
  const send = (raw: string, type = 'application/json') =>
    dashboard.ask('POST', '/api/gateway/stop', { raw, headers: { 'content-type': type } })
  const answers = [
    await send('{}', 'text/plain'),
    await send('a=b', 'application/x-www-form-urlencoded'),
    await send('{'),
    await send(`{"a":"${'x'.repeat(1024 * 1024)}"}`),
  ]
  expect(answers.map(({ status, body }) => [status, codeOf(body)])).toEqual([
    [415, 'HTTP_CONTENT_TYPE'],
    [415, 'HTTP_CONTENT_TYPE'],
    [400, 'HTTP_BAD_JSON'],
    [413, 'HTTP_BODY_TOO_LARGE'],
  ])
})

proves(
  ['dashboard.profile.unknown', 'error.unknown-profile'],
  'a profile that does not exist is 404, in the query and in the body, which wins',
  async () => {
    await using dashboard = await openTestDashboard()
    const answers = [
      await dashboard.ask('GET', '/api/status?profile=nobody'),
      await dashboard.ask('POST', '/api/gateway/stop?profile=default', { body: { profile: 'nobody' } }),
      await dashboard.ask('GET', '/api/status?profile=../..'),
    ]
    expect(answers.map(({ status, body }) => [status, codeOf(body)])).toEqual(answers.map(() => [404, 'PROFILE_NOT_FOUND']))
  },
)

function builtPage(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'page-of-agent-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<meta name="csp-nonce" content="" /><meta name="agent-token" content="" />')
  writeFileSync(join(folder, 'assets', 'app-AbCd1234.js'), '1')
  writeFileSync(join(folder, '.hidden'), 'secret')
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

proves('auth.dashboard.token.minted', 'a token is made for each start, and stands in the page alone', async () => {
  using page = builtPage()
  const tokens: string[] = []
  for (const _ of [1, 2]) {
    await using dashboard = await openTestDashboard({ pages: page.folder, environment: { AGENT_DASHBOARD_SESSION_TOKEN: undefined } })
    const { text, headers } = await dashboard.askBare('GET', '/')
    const token = /name="agent-token" content="([\w-]{43})"/.exec(text)?.[1] ?? ''
    const nonce = /name="csp-nonce" content="([\w-]+)"/.exec(text)?.[1]
    expect([headers['cache-control'], headers['access-control-allow-origin']]).toEqual(['no-store', undefined])
    expect(headers['content-security-policy']).toContain(`'nonce-${nonce}'`)
    expect(headers['content-security-policy']).not.toContain('unsafe-inline')
    expect((await dashboard.askBare('GET', profiles, { headers: { 'x-agent-session-token': token } })).status).toBe(404)
    tokens.push(token)
  }
  expect(new Set(tokens).size).toBe(2)
})

test('files of the page are found by their names, and no path leaves its folder', async () => {
  using page = builtPage()
  await using dashboard = await openTestDashboard({ pages: page.folder })
  const asset = await dashboard.askBare('GET', '/assets/app-AbCd1234.js')
  expect([asset.status, asset.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
  const tricks = [
    '/../package.json',
    '/assets/../../x.json',
    '/%2e%2e/package.json',
    '/assets/%2e%2e%2findex.js',
    '/.hidden',
    '/assets/..%5c..%5cx.js',
    '//etc/x.conf',
  ]
  for (const path of tricks) {
    const { text } = await dashboard.askBare('GET', path)
    expect(text, path).not.toContain('secret')
    expect(text, path).not.toContain('"workspaces"')
  }
})

test('a ticket is given to who has the token', async () => {
  await using dashboard = await openTestDashboard()
  expect(codeOf((await dashboard.askBare('POST', '/api/auth/ticket')).body)).toBe('HTTP_TOKEN_INVALID')
  expect((await dashboard.ask('POST', '/api/auth/ticket')).body.ticket).toMatch(/^[\w-]{43}$/)
})

test('no spelling of an address leads past the token, and what everybody may ask stays so', async () => {
  await using dashboard = await openTestDashboard()
  for (const api of ['/%61pi', '/ap%69', '/%61%70%69', '//api', '/api/%2E', '/%41PI']) {
    const got = await dashboard.askBare('GET', `${api}/env`)
    expect(got.text, api).not.toContain('variables')
    const ticket = await dashboard.askBare('POST', `${api}/auth/ticket`, { raw: '{}', headers: { 'content-type': 'application/json' } })
    expect([ticket.status >= 400, ticket.body.ticket], api).toEqual([true, undefined])
    expect((await dashboard.askBare('PUT', `${api}/env`, { raw: '{}', headers: { 'content-type': 'text/plain' } })).status, api).not.toBe(
      200,
    )
  }
  expect(codeOf((await dashboard.askBare('GET', '/%61pi/env')).body)).toBe('HTTP_TOKEN_INVALID')
  expect((await dashboard.askBare('GET', '/api/st%61tus')).status).toBe(200)
})

test('files come packed to who takes that, and not again to who has them; the page with its token is never packed', async () => {
  await using dashboard = await openTestDashboard({ page: '<meta name="agent-token" content="">' })
  const page = await dashboard.askBare('GET', '/', { headers: { 'accept-encoding': 'gzip' } })
  expect([page.headers['content-encoding'], page.headers.etag]).toEqual([undefined, undefined])
})

test('a file is packed once, and a browser that has it is told so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'))
  mkdirSync(join(folder, 'assets'))
  const text = 'console.log(1)\n'.repeat(500)
  writeFileSync(join(folder, 'assets', 'app.js'), text)
  writeFileSync(join(folder, 'assets', 'tiny.js'), '1')
  await using dashboard = await openTestDashboard({ pages: folder })
  const url = new URL('/assets/app.js', dashboard.url)
  const packed = await fetch(url)
  expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', text])
  for (const encoding of ['identity', 'gzip;q=0', 'br, gzip;q=0.0, deflate']) {
    const plain = await dashboard.askBare('GET', '/assets/app.js', { headers: { 'accept-encoding': encoding } })
    expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, text])
  }
  const tiny = await dashboard.askBare('GET', '/assets/tiny.js', { headers: { 'accept-encoding': 'gzip' } })
  expect([tiny.headers['content-encoding'], tiny.text]).toEqual([undefined, '1'])
  const again = await dashboard.askBare('GET', '/assets/app.js', { headers: { 'if-none-match': packed.headers.get('etag') ?? '' } })
  expect([again.status, again.text]).toEqual([304, ''])
  rmSync(folder, { recursive: true })
})
