// @module-tag server
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type GateDashboard, type MadeUpGate, nameOf, openGateDashboard } from '../../../../test/support/servers/gate-dashboard.ts'

const right = { username: 'ann', password: 'the words of ann' }
const office = (
  check: MadeUpGate['check'] = async ({ name, password }) => (password === `the words of ${name}` ? { id: `id-${name}` } : null),
) => ({ office: { way: 'password', check } }) as const

function logIn({ dashboard }: GateDashboard, body: object, headers: Readonly<Record<string, string>> = {}) {
  return dashboard.askBare('POST', '/api/auth/login', { body: { gate: nameOf('office'), ...body }, headers })
}

const codeOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): unknown => (body.error as { readonly code?: string })?.code
const cookieIn = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }, name = 'agent_session'): string => {
  const set = [headers['set-cookie'] ?? []].flat() as string[]
  return set.find((each) => each.startsWith(`${name}=`))?.split(';')[0] ?? ''
}
const isAdmitted = async ({ dashboard }: GateDashboard, cookie: string): Promise<unknown> =>
  (await dashboard.askBare('GET', '/api/auth/me', { headers: { cookie } })).body.admitted

test('who fits a gate that the setting names comes in, and the log of logins says by which and who', async () => {
  const seen: unknown[] = []
  await using gated = await openGateDashboard(
    office(async (given, { deadline }) => {
      seen.push(given, deadline <= 20_000)
      return given.password === right.password ? { id: 'id-ann' } : null
    }),
  )
  const { dashboard } = gated
  const ways = { password: false, gates: [{ name: nameOf('office'), label: 'The office', way: 'password' }] }
  expect((await dashboard.askBare('GET', '/api/auth/me')).body).toEqual({ required: true, admitted: false, ways })
  expect(gated.imported, 'nothing is loaded before somebody logs in').toEqual([])
  const wrong = await logIn(gated, { ...right, password: 'other words' })
  expect([wrong.status, codeOf(wrong), cookieIn(wrong)]).toEqual([401, 'HTTP_LOGIN_WRONG', ''])
  const login = await logIn(gated, right)
  const cookie = cookieIn(login)
  expect([login.status, await isAdmitted(gated, cookie), await isAdmitted(gated, `${cookie}x`)]).toEqual([200, true, false])
  expect((await dashboard.askBare('GET', '/', { headers: { cookie } })).text).toMatch(/content="[\w-]{43}"/)
  expect(seen).toEqual([{ name: 'ann', password: 'other words' }, true, { name: 'ann', password: right.password }, true])
  expect(gated.audit()).toContain('"event":"login.refused","gate":"gate-office:office","address":"127.0.0.1"}')
  expect(gated.audit()).toContain('"event":"login.done","gate":"gate-office:office","address":"127.0.0.1","subject":"id-ann"}')
  expect(gated.audit() + gated.log()).not.toMatch(/words/)
})

test('a gate that throws, or gives what is nobody, lets nobody in with the same answer, and is named in the log', async () => {
  const answers: readonly (() => Promise<unknown>)[] = [
    () => Promise.reject(new Error('the directory is down')),
    async () => true,
    async () => ({ id: '' }),
    async () => ({ id: 'x'.repeat(201) }),
    async () => ({ id: 'ann\n{"event":"login.done"}' }),
    async () => ({ name: 'ann' }),
  ]
  for (const answer of answers) {
    await using gated = await openGateDashboard(office(answer as never))
    const login = await logIn(gated, right)
    expect([login.status, codeOf(login), cookieIn(login)]).toEqual([401, 'HTTP_LOGIN_WRONG', ''])
    expect(gated.log()).toContain('gate-office:office')
    expect(gated.audit()).toContain('"event":"login.failed"')
  }
})

test('a gate that hangs lets nobody in, and nobody waits for it for long', async () => {
  let hear: (signal: AbortSignal) => void = () => undefined
  const called = new Promise<AbortSignal>((resolve) => {
    hear = resolve
  })
  await using gated = await openGateDashboard(
    office((_given, { signal }) => {
      hear(signal)
      return new Promise(() => undefined)
    }),
  )
  const login = logIn(gated, right)
  const signal = await called
  await gated.clock.advance(20_000)
  expect(signal.aborted).toBe(true)
  await gated.clock.advance(2000)
  expect([(await login).status, codeOf(await login)]).toEqual([401, 'HTTP_LOGIN_WRONG'])
  expect(gated.log()).toContain('gate-office:office')
})

test('a gate that cannot be opened lets nobody in, and who logs in is told so', async () => {
  await using gated = await openGateDashboard({ office: { way: 'password' } })
  const login = await logIn(gated, right)
  expect([login.status, codeOf(login), cookieIn(login)]).toEqual([503, 'GATE_UNUSABLE', ''])
  expect(login.text).toContain('Nobody can log in by The office now.')
  expect(gated.log()).toContain('opens nothing that has check()')
})

test('a gate that nobody has named is no way in, and its code stays where it is', async () => {
  const made = {
    ...office(),
    lobby: { way: 'redirect', begin: async () => ({ url: 'https://id.example/' }), finish: async () => ({ id: 'eve' }) },
  } as const
  await using gated = await openGateDashboard(made, { named: [nameOf('other')] })
  const { dashboard } = gated
  const { body } = await dashboard.askBare('GET', '/api/auth/me')
  // What is named and not there is told, and it is no way in either.
  expect(body).toEqual({
    required: true,
    admitted: false,
    ways: { password: false, gates: [{ name: nameOf('other'), label: nameOf('other') }] },
  })
  expect(gated.log()).toContain('agent plugins why gate-other says why')
  for (const gate of [nameOf('office'), nameOf('other'), 'office', ''])
    expect((await logIn(gated, { ...right, gate })).status, gate).toBe(401)
  expect((await logIn(gated, { ...right, gate: undefined })).status, 'by no name').toBe(401)
  const there = await dashboard.askBare('GET', '/auth/gate/gate-lobby/lobby/login')
  expect([there.status, there.headers.location]).toEqual([302, '../../../../?login=unusable'])
  const back = await dashboard.askBare('GET', '/auth/gate/gate-lobby/lobby/callback?state=x')
  expect([back.headers.location, cookieIn(back)]).toEqual(['../../../../?login=failed', ''])
  expect(gated.imported).toEqual([])
})

test('who came in by a gate that is taken away is out, with what is open, and the others stay', async () => {
  const made = { ...office(), lobby: { way: 'password', check: async () => ({ id: 'ben' }) } } as const
  await using gated = await openGateDashboard(made)
  const [ann, ben] = [cookieIn(await logIn(gated, right)), cookieIn(await logIn(gated, { ...right, gate: nameOf('lobby') }))]
  const [open, stays] = [await openSocket(gated, ann), await openSocket(gated, ben)]
  expect([await isAdmitted(gated, ann), await isAdmitted(gated, ben)]).toEqual([true, true])
  gated.name([nameOf('lobby')])
  await gated.clock.advance(2000)
  expect([await isAdmitted(gated, ann), await isAdmitted(gated, ben)]).toEqual([false, true])
  expect((await logIn(gated, right)).status).toBe(401)
  expect(await open.closed).toBe(4401)
  expect(stays.socket.readyState).toBe(WebSocket.OPEN)
  // The plugin itself is gone.
  gated.dashboard.home.write('plugins/local/gate-lobby/agent.plugin.json', '')
  await gated.clock.advance(2000)
  expect([await isAdmitted(gated, ben), await stays.closed]).toEqual([false, 4401])
})

async function openSocket({ dashboard }: GateDashboard, cookie: string) {
  const { text } = await dashboard.askBare('GET', '/', { headers: { cookie } })
  const headers = { cookie, 'x-agent-session-token': /content="([\w-]{43})"/.exec(text)?.[1] ?? '' }
  const { ticket } = (await dashboard.askBare('POST', '/api/auth/ticket', { headers })).body
  const socket = new WebSocket(`ws://127.0.0.1:${new URL(dashboard.url).port}/api/ws?ticket=${ticket}`)
  const closed = once(socket, 'close').then(([code]) => code as number)
  await once(socket, 'open')
  return { socket, closed }
}

test('settings that cannot be read let nobody in, and other code is asked from the next login on', async () => {
  await using gated = await openGateDashboard(office())
  const { home } = gated.dashboard
  const cookie = cookieIn(await logIn(gated, right))
  const file = 'plugins/local/gate-office/agent.plugin.json'
  home.write(file, home.read(file).replace('The office', 'The new office'))
  await gated.clock.advance(2000)
  expect(await isAdmitted(gated, cookie)).toBe(true)
  expect((await gated.dashboard.askBare('GET', '/api/auth/me')).text).toContain('The new office')
  expect((await logIn(gated, right)).status).toBe(200)
  expect(gated.imported).toEqual(['office', 'office'])
  home.write('config.yaml', 'dashboard: { gates: [')
  await gated.clock.advance(2000)
  expect([await isAdmitted(gated, cookie), (await logIn(gated, right)).status]).toEqual([false, 401])
})

test('an address has ten tries a minute at all gates together, and costs no other address any', async () => {
  const made = { ...office(), lobby: { way: 'password', check: async () => null } } as const
  await using gated = await openGateDashboard(made, { settings: { trusted_proxies: ['127.0.0.1'] } })
  const from = (address: string, body: object) => logIn(gated, { ...right, ...body }, { 'x-forwarded-for': address })
  for (let tries = 0; tries < 10; tries++) await from('198.51.100.7', { gate: nameOf(tries % 2 ? 'lobby' : 'office'), password: 'wrong' })
  const late = await from('198.51.100.7', {})
  expect([late.status, codeOf(late), late.headers['retry-after']]).toEqual([429, 'HTTP_RATE_LIMIT', '60'])
  expect((await from('203.0.113.9', {})).status).toBe(200)
  await gated.clock.advance(60_000)
  expect((await from('198.51.100.7', {})).status).toBe(200)
})

test('each login by a gate gets another cookie, what the browser came with is worth nothing after it, and a logout ends it', async () => {
  await using gated = await openGateDashboard(office())
  const first = cookieIn(await logIn(gated, right))
  const second = cookieIn(await logIn(gated, right, { cookie: first }))
  const planted = cookieIn(await logIn(gated, right, { cookie: 'agent_session=chosen.by.another' }))
  expect(new Set([first, second, planted]).size).toBe(3)
  expect([await isAdmitted(gated, first), await isAdmitted(gated, second), await isAdmitted(gated, planted)]).toEqual([false, true, true])
  const { text } = await gated.dashboard.askBare('GET', '/', { headers: { cookie: second } })
  const token = /content="([\w-]{43})"/.exec(text)?.[1] ?? ''
  await gated.dashboard.askBare('POST', '/api/auth/logout', { headers: { cookie: second, 'x-agent-session-token': token } })
  expect(await isAdmitted(gated, second)).toBe(false)
})

test('no cookie of one gate passes for another, or for the name and password of the dashboard', async () => {
  await using gated = await openGateDashboard(office())
  const [, end = '', nonce = '', gate = '', signature = ''] =
    /=(\d+)\.([\w-]+)\.([\w:-]+)\.([\w-]+)$/.exec(cookieIn(await logIn(gated, right))) ?? []
  expect(gate).toBe(nameOf('office'))
  for (const forged of [
    `${end}.${nonce}.${signature}`,
    `${end}.${nonce}.gate-lobby:lobby.${signature}`,
    `${end}.${nonce}.${gate}.x.${signature}`,
  ])
    expect(await isAdmitted(gated, `agent_session=${forged}`), forged).toBe(false)
})

test('on this machine alone, and with --insecure, no gate is looked at', async () => {
  for (const place of [{ host: '127.0.0.1' }, { insecure: true }]) {
    await using gated = await openGateDashboard(office(), place)
    expect((await gated.dashboard.askBare('GET', '/api/auth/me')).body).toEqual({ required: false, admitted: true })
    expect((await logIn(gated, right)).body).toEqual({ required: false, admitted: true })
    expect(gated.imported).toEqual([])
  }
})
