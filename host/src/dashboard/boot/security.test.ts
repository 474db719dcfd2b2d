// @module-tag process
import { once } from 'node:events'
import type { Log } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { TestHome } from '../../../../test/support/test-home.ts'

type Headers = Readonly<Record<string, string>>

/** The status of a request and the close code of a socket, 0 where it was let in; `$` is the port. */
async function knock(dashboard: TestDashboard, host: string, origin: string): Promise<readonly [number, number]> {
  const { port } = new URL(dashboard.url)
  const headers: Record<string, string> = { host: host.replace('$', port) }
  if (origin !== '') headers.origin = origin.replace('$', port)
  const { status } = await dashboard.askBare('GET', '/api/auth/me', { headers })
  const code = await codeAt(dashboard, '/api/ws', headers)
  // Who is kept from the chat is kept from the terminal.
  if (code !== 0) expect(await codeAt(dashboard, '/api/pty', headers)).toBe(code)
  return [status, code]
}

async function codeAt(dashboard: TestDashboard, path: string, headers: Headers): Promise<number> {
  const { ticket } = (await dashboard.ask('POST', '/api/auth/ticket')).body
  const socket = new WebSocket(`ws://127.0.0.1:${new URL(dashboard.url).port}${path}?ticket=${ticket}`, { headers })
  const closed = once(socket, 'close').then(([code]) => code as number)
  await once(socket, 'open')
  // A refused one is closed by the server alone; one that was let in answers.
  socket.send('{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}')
  const code = await Promise.race([closed, once(socket, 'message').then(() => 0)])
  socket.terminate()
  return code
}

type Row = readonly [host: string, origin: string, status: number, code: number]
const places: Readonly<Record<string, { readonly host: string; readonly config: string; readonly rows: readonly Row[] }>> = {
  'on this machine': {
    host: '127.0.0.1',
    config: '',
    rows: [
      ['127.0.0.1:$', '', 200, 0],
      ['127.0.0.1:$', 'http://127.0.0.1:$', 200, 0],
      ['localhost:$', 'http://localhost:$', 200, 0],
      ['LOCALHOST:$', 'http://localhost:$', 200, 0],
      ['[::1]:$', 'http://[::1]:$', 200, 0],
      ['127.0.0.1:$', 'null', 200, 0],
      ['127.0.0.1:$', 'file://', 200, 0],
      ['127.0.0.1:$', 'http://localhost:$', 403, 4403],
      ['127.0.0.1:$', 'http://127.0.0.1:1', 403, 4403],
      ['127.0.0.1:$', 'https://evil.example', 403, 4403],
      ['127.0.0.1:$', 'http://127.0.0.1.evil.example:$', 403, 4403],
      ['127.0.0.1:$', 'http://127.0.0.1:$@evil.example', 403, 4403],
      ['127.0.0.1:$', 'chrome-extension://abcdef', 403, 4403],
      ['127.0.0.1:$', 'no address', 403, 4403],
      ['evil.example', 'http://evil.example', 403, 4403],
      ['evil.example', '', 403, 4403],
      ['evil.example', 'null', 403, 4403],
      ['localhost.evil.example:$', '', 403, 4403],
      ['127.0.0.1.evil.example', '', 403, 4403],
      ['0.0.0.0:$', '', 403, 4403],
      ['192.168.1.2:$', '', 403, 4403],
    ],
  },
  'beyond this machine': {
    host: '0.0.0.0',
    config: '',
    rows: [
      ['box.lan:$', '', 200, 0],
      ['box.lan:$', 'http://box.lan:$', 200, 0],
      ['box.lan:$', 'https://box.lan:$', 200, 0],
      ['box.lan:$', 'null', 200, 4403],
      ['box.lan:$', 'file://', 403, 4403],
      ['box.lan:$', 'http://other.lan:$', 403, 4403],
      ['box.lan:$', 'http://box.lan:1', 403, 4403],
      ['box.lan:$', 'https://evil.example', 403, 4403],
    ],
  },
  'behind a proxy': {
    host: '127.0.0.1',
    config: 'dashboard: { public_url: "https://agent.example" }\n',
    rows: [
      ['agent.example', 'https://agent.example', 200, 0],
      ['127.0.0.1:$', 'https://agent.example', 200, 0],
      ['agent.example', 'http://agent.example:81', 403, 4403],
      ['agent.example', 'https://evil.example', 403, 4403],
      ['evil.example', 'https://agent.example', 403, 4403],
      ['agent.example.evil.example', '', 403, 4403],
    ],
  },
}

const basic = { AGENT_DASHBOARD_BASIC_AUTH_USERNAME: 'ann', AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: 'a password that fits' }
const right = { username: 'ann', password: 'a password that fits' }

proves(
  ['auth.ws.reject', 'auth.ws.accept-opaque', 'auth.ws.reject-file', 'auth.rest.cors-null'],
  'host and origin are judged alike over REST and over sockets, in every place',
  async () => {
    for (const [place, { host, config, rows }] of Object.entries(places)) {
      const prepare = (home: TestHome): void => void home.write('config.yaml', config)
      await using dashboard = await openTestDashboard({ host, environment: basic, prepare })
      const found: Row[] = []
      for (const [given, origin] of rows) found.push([given, origin, ...(await knock(dashboard, given, origin))])
      expect(found, place).toEqual(rows)
    }
  },
)

interface Entered {
  readonly cookie: string
  readonly token: string
}

const page = '<meta name="agent-token" content="">'

async function enter(dashboard: TestDashboard): Promise<Entered> {
  const login = await dashboard.askBare('POST', '/api/auth/login', { body: right })
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const { text } = await dashboard.askBare('GET', '/', { headers: { cookie } })
  return { cookie, token: /content="([\w-]{43})"/.exec(text)?.[1] ?? '' }
}

const gated = { host: '0.0.0.0', page, environment: { ...basic, AGENT_DASHBOARD_SESSION_TOKEN: undefined } }

test('a cookie alone changes nothing, whatever a foreign page can send', async () => {
  await using dashboard = await openTestDashboard(gated)
  const { cookie, token } = await enter(dashboard)
  const document = await dashboard.askBare('GET', '/api/openapi.json', { headers: { cookie, 'x-agent-session-token': token } })
  const writes = Object.entries(document.body.paths as Readonly<Record<string, object>>).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'get')
      .map((method) => `${method.toUpperCase()} ${path.replace('{id}', 'x')}`),
  )
  expect(writes.length).toBeGreaterThan(30)
  writes.push('POST /api/auth/ticket', 'POST /api/auth/logout')
  const send = (write: string, headers: Headers): Promise<{ readonly status: number }> => {
    const [method = '', path = ''] = write.split(' ')
    return dashboard.askBare(method, path, { raw: '{}', headers: { cookie, ...headers } })
  }
  for (const write of writes) {
    expect((await send(write, {})).status, write).toBe(401)
    expect((await send(write, { origin: 'https://evil.example' })).status, write).toBe(403)
    expect((await send(write, { 'content-type': 'text/plain' })).status, write).toBe(415)
    expect((await send(write, { 'content-type': 'application/x-www-form-urlencoded' })).status, write).toBe(415)
  }
  // Nobody has logged out, and with the token of the page it goes.
  expect((await send('POST /api/auth/ticket', { 'x-agent-session-token': token })).status).toBe(200)
  const asked = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }
  const preflight = await dashboard.askBare('OPTIONS', '/api/env', { headers: asked })
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined])
  const opaque = await dashboard.askBare('OPTIONS', '/api/env', { headers: { ...asked, origin: 'null' } })
  expect(opaque.headers['access-control-allow-credentials'], 'a page without an address sends no cookies').toBeUndefined()
})

function collectingLog(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = []
  const take = (...line: readonly unknown[]): void => void lines.push(JSON.stringify(line))
  return { log: { debug: take, info: take, warn: take, error: take }, text: () => lines.join('\n') }
}

test('neither token, cookie, ticket nor password comes into a log, an audit or an error, and no door takes one from an address', async () => {
  const { log, text } = collectingLog()
  await using dashboard = await openTestDashboard({ ...gated, log })
  const { cookie, token } = await enter(dashboard)
  const headers = { cookie, 'x-agent-session-token': token }
  const { ticket } = (await dashboard.askBare('POST', '/api/auth/ticket', { headers })).body
  const answers = [
    await dashboard.askBare('POST', '/api/auth/login', { body: { username: 'ann', password: 'a wrong password' } }),
    await dashboard.askBare('GET', `/api/env?token=${token}&x-agent-session-token=${token}`, { headers: { cookie } }),
    await dashboard.askBare('GET', `/api/nothing?token=${token}`, { headers }),
    await dashboard.askBare('GET', `/nothing.js?token=${token}`, { headers }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 404, 404])
  const { port } = new URL(dashboard.url)
  for (const origin of ['https://evil.example', `http://127.0.0.1:${port}`, `http://127.0.0.1:${port}`]) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws?ticket=${ticket}`, { headers: { origin } })
    const closed = once(socket, 'close')
    await once(socket, 'open')
    if (origin.startsWith('http:')) socket.close()
    await closed
  }
  expect(text()).toContain('refused')
  const written = [text(), dashboard.home.read('logs/dashboard-auth.log'), ...answers.map((answer) => answer.text)].join('\n')
  for (const secret of [token, String(ticket), cookie.split('=')[1] ?? '', 'a password that fits', 'a wrong password']) {
    expect(secret.length).toBeGreaterThan(10)
    expect(written).not.toContain(secret)
  }
})

proves(['dashboard.status', 'auth.dashboard.token.public-status'], 'what everybody may ask for holds no secret and no place', async () => {
  const secrets = { OPENAI_API_KEY: 'sk-a-secret-of-this-home', ...gated.environment }
  const prepare = (home: TestHome): void => {
    home.write('config.yaml', 'model: { provider: openai, default: gpt-5 }\n')
    home.write('.env', 'ANTHROPIC_API_KEY=another-secret\n')
  }
  await using dashboard = await openTestDashboard({ ...gated, environment: secrets, prepare })
  const { status, text, body } = await dashboard.askBare('GET', '/api/status')
  expect([status, body.authRequired]).toEqual([200, true])
  for (const secret of ['sk-a-secret', 'another-secret', 'password that fits', 'ann', dashboard.home.home])
    expect(text).not.toContain(secret)
  // The page of who has not logged in holds no more.
  expect((await dashboard.askBare('GET', '/')).text).toBe(page)
})

test('a cookie that was made up, or made with another secret, lets nobody in', async () => {
  await using dashboard = await openTestDashboard({
    ...gated,
    environment: { ...gated.environment, AGENT_DASHBOARD_BASIC_AUTH_SECRET: 'one' },
  })
  await using other = await openTestDashboard({ ...gated, environment: { ...gated.environment, AGENT_DASHBOARD_BASIC_AUTH_SECRET: 'two' } })
  const { cookie } = await enter(dashboard)
  const [, end = '', nonce = '', signature = ''] = /=(\d+)\.([\w-]+)\.([\w-]+)$/.exec(cookie) ?? []
  const isAdmitted = async (value: string): Promise<unknown> =>
    (await dashboard.askBare('GET', '/api/auth/me', { headers: { cookie: `agent_session=${value}` } })).body.admitted
  expect(await isAdmitted(`${end}.${nonce}.${signature}`)).toBe(true)
  const forged = [
    ...['', '..', `${Number(end) + 1}.${nonce}.${signature}`, `${end}.${nonce}.`, `${end}.${nonce}`, `${end}.x.${signature}`],
    ...[`9999999999999.${nonce}.${signature}`, `Infinity.${nonce}.${signature}`, (await enter(other)).cookie.split('=')[1] ?? ''],
  ]
  for (const value of forged) expect(await isAdmitted(value), value).toBe(false)
})
