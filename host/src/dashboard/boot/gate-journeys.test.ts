// @module-tag server
import type { GateReturn } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type GateDashboard, type MadeUpGate, openGateDashboard } from '../../../../test/support/servers/gate-dashboard.ts'

interface Answered {
  readonly headers: Readonly<Record<string, unknown>>
}

const cookieIn = ({ headers }: Answered, name: string): string => {
  const set = [headers['set-cookie'] ?? []].flat() as string[]
  return set.find((each) => each.startsWith(`${name}=`))?.split(';')[0] ?? ''
}
const doors = (id: string): string => `/auth/gate/gate-${id}/${id}`

interface Seen {
  readonly begun: { readonly returnTo: string; readonly state: string }[]
  readonly back: GateReturn[]
}

/** Lets in who comes back with the code that it has kept. */
function portal(change: Partial<MadeUpGate> = {}): { readonly gate: MadeUpGate; readonly seen: Seen } {
  const seen: Seen = { begun: [], back: [] }
  const gate: MadeUpGate = {
    way: 'redirect',
    begin: async (journey) => {
      seen.begun.push(journey)
      return { url: `https://id.example/login?state=${journey.state}`, kept: { code: 'the-code-that-is-kept' } }
    },
    finish: async (journey) => {
      seen.back.push(journey)
      const { code } = journey.kept as { readonly code?: string }
      return journey.query.code === code ? { id: 'id-ann' } : null
    },
    end: async ({ returnTo }) => ({ url: `https://id.example/logout?to=${encodeURIComponent(returnTo)}` }),
    ...change,
  }
  return { gate, seen }
}

async function leave({ dashboard }: GateDashboard, id = 'portal', headers: Readonly<Record<string, string>> = {}) {
  const answer = await dashboard.askBare('GET', `${doors(id)}/login?to=${encodeURIComponent('?profile=x#/usage')}`, { headers })
  const location = String(answer.headers.location)
  const state = URL.canParse(location) ? (new URL(location).searchParams.get('state') ?? '') : ''
  return { answer, location, state, cookie: cookieIn(answer, 'agent_gate') }
}

const comeBack = ({ dashboard }: GateDashboard, query: string, cookie: string, id = 'portal') =>
  dashboard.askBare('GET', `${doors(id)}/callback?${query}`, { headers: { cookie } })

const failed = '../../../../?profile=x&login=failed#/usage'

test('a browser leaves for the page of a gate, comes back to its own place, and out again leads over that page', async () => {
  const { gate, seen } = portal()
  await using gated = await openGateDashboard({ portal: gate })
  const { answer, location, state, cookie } = await leave(gated)
  expect([answer.status, location]).toEqual([302, `https://id.example/login?state=${state}`])
  const [set = ''] = answer.headers['set-cookie'] as string[]
  expect(set).toMatch(/^agent_gate=[^;]+; Path=\/auth\/gate\/gate-portal\/portal; HttpOnly; SameSite=Lax; Max-Age=600$/)
  expect(Buffer.from(cookie, 'base64url').toString('latin1') + cookie, 'what is kept is not read in the browser').not.toContain('the-code')
  const back = await comeBack(gated, `state=${state}&code=the-code-that-is-kept&more=1`, `${cookie}; agent_session=planted`)
  expect([back.status, back.headers.location]).toEqual([302, '../../../../?profile=x#/usage'])
  const session = cookieIn(back, 'agent_session')
  expect((await gated.dashboard.askBare('GET', '/api/auth/me', { headers: { cookie: session } })).body.admitted).toBe(true)
  const returnTo = `http://127.0.0.1:${new URL(gated.dashboard.url).port}${doors('portal')}/callback`
  expect(seen.begun.map((each) => each.returnTo)).toEqual([expect.stringMatching(/\/auth\/gate\/gate-portal\/portal\/callback$/)])
  expect(new URL(seen.begun[0]?.returnTo ?? '').pathname).toBe(new URL(returnTo).pathname)
  const query = { state, code: 'the-code-that-is-kept', more: '1' }
  expect(seen.back).toEqual([{ returnTo: seen.begun[0]?.returnTo, state, query, kept: { code: 'the-code-that-is-kept' } }])
  expect(gated.audit()).toContain('"event":"login.done","gate":"gate-portal:portal","address":"127.0.0.1","subject":"id-ann"}')
  const { text } = await gated.dashboard.askBare('GET', '/', { headers: { cookie: session } })
  const token = /content="([\w-]{43})"/.exec(text)?.[1] ?? ''
  const headers = { cookie: session, 'x-agent-session-token': token }
  const { next } = (await gated.dashboard.askBare('POST', '/api/auth/logout', { headers })).body
  expect(next).toMatch(/^https:\/\/id\.example\/logout\?to=http/)
})

test('who brings another state, two of them, none, or nothing that was kept, does not reach the gate', async () => {
  const { gate, seen } = portal()
  await using gated = await openGateDashboard({ portal: gate })
  const { state, cookie } = await leave(gated)
  const other = await leave(gated)
  const code = 'code=the-code-that-is-kept'
  for (const query of [`state=${other.state}&${code}`, `state=${state}&state=${state}&${code}`, `state=&${code}`, code]) {
    const back = await comeBack(gated, query, cookie)
    expect([back.headers.location, cookieIn(back, 'agent_session')], query).toEqual([failed, ''])
  }
  for (const kept of ['', 'agent_gate=', `${cookie}x`, `agent_gate=${cookie.split('.')[1]}.${cookie.split('.')[1]}`]) {
    const back = await comeBack(gated, `state=${state}&${code}`, kept)
    expect([back.headers.location, cookieIn(back, 'agent_session')], kept).toEqual(['../../../../?login=failed', ''])
  }
  expect(seen.back).toEqual([])
  await gated.clock.advance(10 * 60_000)
  expect((await comeBack(gated, `state=${state}&${code}`, cookie)).headers.location, 'after its time').toBe('../../../../?login=failed')
})

test('a login is ended once, and not with what another gate has kept', async () => {
  const [one, two] = [portal(), portal()]
  await using gated = await openGateDashboard({ portal: one.gate, annex: two.gate })
  const { state, cookie } = await leave(gated)
  const query = `state=${state}&code=the-code-that-is-kept`
  const elsewhere = await comeBack(gated, query, cookie, 'annex')
  expect([elsewhere.headers.location, two.seen.back.length]).toEqual(['../../../../?login=failed', 0])
  const places = [await comeBack(gated, query, cookie), await comeBack(gated, query, cookie)].map(({ headers }) => headers.location)
  expect(places).toEqual(['../../../../?profile=x#/usage', failed])
})

test('who is known there and may not come in is told so, and a finish that fails is another word', async () => {
  const outcomes: unknown[] = []
  const ways: readonly NonNullable<MadeUpGate['finish']>[] = [async () => null, async () => Promise.reject(new Error('the portal is down'))]
  for (const finish of ways) {
    await using gated = await openGateDashboard({ portal: portal({ finish }).gate })
    const { state, cookie } = await leave(gated)
    const back = await comeBack(gated, `state=${state}`, cookie)
    outcomes.push([back.headers.location, cookieIn(back, 'agent_session'), gated.log().includes('the portal is down')])
  }
  expect(outcomes).toEqual([
    ['../../../../?profile=x&login=refused#/usage', '', false],
    [failed, '', true],
  ])
})

test.each([
  ['a script', { url: 'javascript:alert(1)' }],
  ['another place of the page', { url: '//id.example/' }],
  ['a page without encryption', { url: 'http://id.example/' }],
  ['a very long address', { url: `https://id.example/${'x'.repeat(5000)}` }],
  ['no address', {}],
  ['nothing', null],
  ['more than the browser keeps', { url: 'https://id.example/', kept: 'x'.repeat(1001) }],
])('%s of a gate reaches no browser, and the log names the gate', async (_what, begun) => {
  await using gated = await openGateDashboard({ portal: portal({ begin: async () => begun as never }).gate })
  const { location, cookie } = await leave(gated)
  expect([location, cookie]).toEqual([failed, ''])
  expect(gated.log()).toContain('gate-portal:portal')
})

test('the largest thing that a gate may keep has room in a cookie', async () => {
  const { gate } = portal({ begin: async ({ state }) => ({ url: `https://id.example/?state=${state}`, kept: 'x'.repeat(998) }) })
  await using gated = await openGateDashboard({ portal: gate })
  const to = `?${'a'.repeat(500)}#${'b'.repeat(500)}`
  const { headers } = await gated.dashboard.askBare('GET', `${doors('portal')}/login?to=${encodeURIComponent(to)}`)
  expect(cookieIn({ headers }, 'agent_gate').length).toBeLessThan(4096)
})

test('behind a proxy, below a path, a gate is told the public address, and its cookie is of that path and for TLS alone', async () => {
  const { gate, seen } = portal()
  const settings = { public_url: 'https://agent.example', base_path: '/agent' }
  await using gated = await openGateDashboard({ portal: gate }, { settings })
  const { headers } = await gated.dashboard.askBare('GET', `/agent${doors('portal')}/login`, { headers: { host: 'agent.example' } })
  const [set = ''] = headers['set-cookie'] as string[]
  expect(set).toMatch(/; Path=\/agent\/auth\/gate\/gate-portal\/portal; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/)
  expect(seen.begun.map(({ returnTo }) => returnTo)).toEqual([`https://agent.example/agent${doors('portal')}/callback`])
})

test('an address may come back ten times a minute', async () => {
  await using gated = await openGateDashboard({ portal: portal().gate })
  const { state, cookie } = await leave(gated)
  for (let tries = 0; tries < 10; tries++) await comeBack(gated, 'state=guessed', cookie)
  const late = await comeBack(gated, `state=${state}&code=the-code-that-is-kept`, cookie)
  expect([late.headers.location, cookieIn(late, 'agent_session')]).toEqual(['../../../../?profile=x&login=limited#/usage', ''])
})

test('a gate that cannot end a login there keeps nobody from logging out here', async () => {
  const end = async (): Promise<{ readonly url: string }> => ({ url: 'javascript:alert(1)' })
  await using gated = await openGateDashboard({ portal: portal({ end }).gate })
  const { state, cookie } = await leave(gated)
  const session = cookieIn(await comeBack(gated, `state=${state}&code=the-code-that-is-kept`, cookie), 'agent_session')
  const { text } = await gated.dashboard.askBare('GET', '/', { headers: { cookie: session } })
  const headers = { cookie: session, 'x-agent-session-token': /content="([\w-]{43})"/.exec(text)?.[1] ?? '' }
  const out = await gated.dashboard.askBare('POST', '/api/auth/logout', { headers })
  expect([out.status, out.body]).toEqual([200, { required: true, admitted: false }])
  expect((await gated.dashboard.askBare('GET', '/api/auth/me', { headers })).body.admitted).toBe(false)
})

test('an address may leave ten times a minute', async () => {
  const { gate, seen } = portal()
  await using gated = await openGateDashboard({ portal: gate })
  for (let tries = 0; tries < 10; tries++) await leave(gated)
  expect((await leave(gated)).location).toBe('../../../../?profile=x&login=limited#/usage')
  expect(seen.begun).toHaveLength(10)
})
