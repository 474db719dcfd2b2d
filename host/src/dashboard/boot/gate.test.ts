// @module-tag process
import { scryptSync } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { TestHome } from '../../../../test/support/test-home.ts'
import type { DashboardOptions } from './open-dashboard.ts'

const salt = Buffer.from('the salt of it')
const hash = `scrypt$16384$${salt.toString('base64url')}$${scryptSync('right', salt, 32, { N: 16_384 }).toString('base64url')}`
const basic = {
  AGENT_DASHBOARD_BASIC_AUTH_USERNAME: 'ann',
  AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: 'right',
  AGENT_DASHBOARD_SESSION_TOKEN: undefined,
}
const wide = { host: '0.0.0.0', environment: basic }
const codeOf = (body: Readonly<Record<string, unknown>>): string => (body.error as { readonly code: string }).code
const page = '<meta name="agent-token" content="">'

const tokenOf = (text: string): string | undefined => /name="agent-token" content="([^"]*)"/.exec(text)?.[1]

test('beyond this machine it starts with a login, or not at all', async () => {
  const opened = openTestDashboard({ host: '0.0.0.0' })
  await expect(opened.then((dashboard) => dashboard[Symbol.asyncDispose]())).rejects.toSatisfy((error) =>
    isAgentError(error, 'DASHBOARD_UNSAFE'),
  )
})

proves('auth.dashboard.insecure', 'with --insecure the token alone is asked for', async () => {
  await using dashboard = await openTestDashboard({ host: '0.0.0.0', insecure: true })
  const { body } = await dashboard.askBare('GET', '/api/auth/me')
  expect([body, (await dashboard.ask('POST', '/api/auth/ticket')).status]).toEqual([{ required: false, admitted: true }, 200])
  // By any name that leads to it, and no page of another one.
  const named = { host: 'box.lan:9119' }
  const foreign = { ...named, origin: 'https://evil.example' }
  expect((await dashboard.ask('POST', '/api/auth/ticket', { headers: named })).status).toBe(200)
  expect((await dashboard.ask('POST', '/api/auth/ticket', { headers: foreign })).status).toBe(403)
})

proves(
  ['auth.dashboard.gate', 'env.dashboard.basic-auth'],
  'a login gets a cookie that no script reads, and with it the token',
  async () => {
    await using dashboard = await openTestDashboard({ ...wide, page })
    expect(tokenOf((await dashboard.askBare('GET', '/')).text)).toBe('')
    expect((await dashboard.askBare('GET', '/api/status')).body.authRequired).toBe(true)
    const login = await dashboard.askBare('POST', '/api/auth/login', { body: { username: 'ann', password: 'right' } })
    const [set = ''] = login.headers['set-cookie'] ?? []
    expect([login.status, /; HttpOnly; SameSite=Lax/.test(set), /Secure/.test(set)]).toEqual([200, true, false])
    const cookie = set.split(';')[0] ?? ''
    const token = tokenOf((await dashboard.askBare('GET', '/', { headers: { cookie } })).text) ?? ''
    const ask = (headers: Readonly<Record<string, string>>) => dashboard.askBare('POST', '/api/auth/ticket', { headers })
    const both = { cookie, 'x-agent-session-token': token }
    const answers = [await ask({ cookie }), await ask({ 'x-agent-session-token': token }), await ask(both)]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200])
    expect(answers.slice(0, 2).map(({ body }) => codeOf(body))).toEqual(['HTTP_TOKEN_INVALID', 'HTTP_LOGIN_NEEDED'])
    await dashboard.askBare('POST', '/api/auth/logout', { headers: both })
    expect((await ask(both)).status).toBe(401)
    const audit = dashboard.home.read('logs/dashboard-auth.log')
    expect(audit).toContain('"event":"login.done"')
    expect(audit).not.toMatch(/right|ann/)
  },
)

test('each login gets another cookie, and the one that the browser came with is worth nothing after it', async () => {
  await using dashboard = await openTestDashboard(wide)
  const logIn = async (headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { headers: got } = await dashboard.askBare('POST', '/api/auth/login', { body: { username: 'ann', password: 'right' }, headers })
    return got['set-cookie']?.[0]?.split(';')[0] ?? ''
  }
  const isAdmitted = async (cookie: string) => (await dashboard.askBare('GET', '/api/auth/me', { headers: { cookie } })).body.admitted
  const first = await logIn()
  const second = await logIn({ cookie: first })
  const planted = await logIn({ cookie: 'agent_session=chosen.by.another' })
  expect(new Set([first, second, planted]).size).toBe(3)
  expect([await isAdmitted(first), await isAdmitted(second), await isAdmitted(planted)]).toEqual([false, true, true])
})

const right = { username: 'ann', password: 'right' }
const inFront = (home: TestHome): void => void home.write('config.yaml', 'dashboard: { trusted_proxies: [127.0.0.1] }\n')

proves('auth.dashboard.cookie-secure', 'behind TLS the cookie is marked Secure, by the word of a proxy that is trusted', async () => {
  const headers = { 'x-forwarded-proto': 'https' }
  const isSecure: boolean[] = []
  for (const prepare of [inFront, () => undefined]) {
    await using dashboard = await openTestDashboard({ ...wide, prepare })
    const login = await dashboard.askBare('POST', '/api/auth/login', { body: right, headers })
    isSecure.push(/; Secure$/.test(login.headers['set-cookie']?.[0] ?? ''))
  }
  expect(isSecure).toEqual([true, false])
})

test('who tries too often locks out nobody at another address, and no header makes up an address', async () => {
  const statuses: number[][] = []
  for (const prepare of [inFront, () => undefined]) {
    await using dashboard = await openTestDashboard({ ...wide, prepare })
    const logIn = async (address: string, password: string): Promise<number> => {
      const headers = { 'x-forwarded-for': address }
      return (await dashboard.askBare('POST', '/api/auth/login', { body: { username: 'ann', password }, headers })).status
    }
    for (let tries = 0; tries < 10; tries++) await logIn('198.51.100.7', 'wrong')
    statuses.push([await logIn('198.51.100.7', 'right'), await logIn('203.0.113.9', 'right')])
  }
  expect(statuses).toEqual([
    [429, 200],
    [429, 429],
  ])
})

test('a public address turns the login on for a proxy of this machine, and is let in beside it', async () => {
  const prepare = (home: TestHome): void => void home.write('config.yaml', 'dashboard: { public_url: "https://agent.example" }\n')
  await using dashboard = await openTestDashboard({ environment: basic, prepare })
  const ask = (headers: Readonly<Record<string, string>>) => dashboard.askBare('GET', '/api/auth/me', { headers })
  expect((await ask({ host: 'agent.example', origin: 'https://agent.example' })).body).toMatchObject({ required: true, admitted: false })
  expect((await ask({ origin: 'https://agent.example' })).status).toBe(200)
  expect((await ask({ host: 'evil.example', origin: 'https://evil.example' })).status).toBe(403)
  expect((await ask({ host: 'agent.example', origin: 'https://evil.example' })).status).toBe(403)
  const login = await dashboard.askBare('POST', '/api/auth/login', { body: right })
  expect(login.headers['set-cookie']?.[0]).toMatch(/; Secure$/)
})

test('a public address that is none stops the start, and without a login it is not shown', async () => {
  const open = async (address: string, environment: DashboardOptions['environment']): Promise<unknown> => {
    const prepare = (home: TestHome): void => void home.write('config.yaml', `dashboard: { public_url: "${address}" }\n`)
    const opened = openTestDashboard({ environment, prepare }).then((dashboard) => dashboard[Symbol.asyncDispose]())
    return opened.catch((error: { readonly code: string }) => error.code)
  }
  expect([await open('agent.example', basic), await open('https://agent.example', {})]).toEqual(['CONFIG_INVALID', 'DASHBOARD_UNSAFE'])
})

test('a logout ends the sockets of that login, and leaves those of another', async () => {
  await using dashboard = await openTestDashboard({ ...wide, page })
  const enter = async () => {
    const login = await dashboard.askBare('POST', '/api/auth/login', { body: right })
    const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const token = tokenOf((await dashboard.askBare('GET', '/', { headers: { cookie } })).text) ?? ''
    const headers = { cookie, 'x-agent-session-token': token }
    const { ticket } = (await dashboard.askBare('POST', '/api/auth/ticket', { headers })).body
    const socket = new WebSocket(`ws://127.0.0.1:${new URL(dashboard.url).port}/api/ws?ticket=${ticket}`)
    const closed = once(socket, 'close')
    await once(socket, 'open')
    return { headers, socket, closed }
  }
  const [first, second] = [await enter(), await enter()]
  await dashboard.askBare('POST', '/api/auth/logout', { headers: first.headers })
  expect((await first.closed)[0]).toBe(4401)
  expect(second.socket.readyState).toBe(WebSocket.OPEN)
  second.socket.terminate()
})

test('a body that comes when its login has ended changes nothing, and gets no ticket', async () => {
  await using dashboard = await openTestDashboard({ ...wide, page })
  const login = await dashboard.askBare('POST', '/api/auth/login', { body: right })
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const token = tokenOf((await dashboard.askBare('GET', '/', { headers: { cookie } })).text) ?? ''
  const headers = { cookie, 'x-agent-session-token': token }
  const { port } = new URL(dashboard.url)
  const begin = async (method: string, path: string) => {
    const more = { 'content-type': 'application/json', 'content-length': '2', expect: '100-continue' }
    const slow = request({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...more } })
    slow.flushHeaders()
    await once(slow, 'continue')
    // What came later on this way was looked at later.
    await dashboard.askBare('GET', '/api/auth/me')
    return slow
  }
  const begun = [await begin('POST', '/api/auth/ticket'), await begin('PUT', '/api/env')]
  await dashboard.askBare('POST', '/api/auth/logout', { headers })
  for (const slow of begun) {
    slow.end('{}')
    const [answer] = (await once(slow, 'response')) as [{ readonly statusCode: number; resume(): void }]
    answer.resume()
    expect(answer.statusCode).toBe(401)
  }
})

test('no page shows the token that programs come in by, and what it shows is worth nothing after a logout', async () => {
  const environment = { ...basic, AGENT_DASHBOARD_SESSION_TOKEN: 'the-token-of-programs' }
  await using dashboard = await openTestDashboard({ ...wide, environment, page })
  const login = await dashboard.askBare('POST', '/api/auth/login', { body: right })
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const token = tokenOf((await dashboard.askBare('GET', '/', { headers: { cookie } })).text) ?? ''
  const ask = async (headers: Readonly<Record<string, string>>) => (await dashboard.askBare('POST', '/api/auth/ticket', { headers })).status
  const headers = { cookie, 'x-agent-session-token': token }
  expect([token, await ask(headers)]).toEqual([expect.stringMatching(/^[\w-]{43}$/), 200])
  await dashboard.askBare('POST', '/api/auth/logout', { headers })
  expect([await ask(headers), await ask({ 'x-agent-session-token': 'the-token-of-programs' })]).toEqual([401, 200])
})

proves(
  ['auth.dashboard.basic.generic', 'auth.dashboard.basic.rate-limit', 'error.bad-password'],
  'a wrong name and a wrong password get the same answer, ten times a minute',
  async () => {
    const environment = { ...basic, AGENT_DASHBOARD_BASIC_AUTH_PASSWORD: undefined, AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH: hash }
    await using dashboard = await openTestDashboard({ ...wide, environment })
    const logIn = (username: string, password: string) => dashboard.askBare('POST', '/api/auth/login', { body: { username, password } })
    const [name, password] = [await logIn('eve', 'right'), await logIn('ann', 'wrong')]
    expect([name.status, name.text, codeOf(name.body)]).toEqual([401, password.text, 'HTTP_LOGIN_WRONG'])
    for (let tries = 2; tries < 10; tries++) await logIn('ann', 'wrong')
    const late = await logIn('ann', 'right')
    expect([late.status, codeOf(late.body), late.headers['retry-after']]).toEqual([429, 'HTTP_RATE_LIMIT', '60'])
  },
)
