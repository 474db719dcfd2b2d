// @module-tag server
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type GuardedServer, startGuardedServer } from '../../../../test/logins/guarded-server.ts'
import { browse, type OidcServer, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const startAccounts = (): Promise<OidcServer> => startOidcServer({ registration: true, scopesOfResources: 'tools' })

const configOf = ({ url }: GuardedServer): string =>
  JSON.stringify({ model: { provider: 'offline', default: 'offline' }, mcp_servers: { desk: { url } } })

const wish = (method: string, input: PanelRecord = {}) => ({ panel: 'mcp', method, input, item: 'desk' })
const act = (client: ChatClient, method: string, input?: PanelRecord) => client.call('panel.run', wish(method, input))
const refused = (client: ChatClient, method: string, input?: PanelRecord) => client.fails('panel.run', wish(method, input))

async function look(client: ChatClient): Promise<PanelRecord> {
  const { item } = (await act(client, 'server')) as { readonly item: PanelRecord }
  return item
}

async function begin(client: ChatClient): Promise<string> {
  await act(client, 'logIn')
  return String((await look(client)).loginPage)
}

/** A browser of another machine, which reaches nothing of this one where the login ends. */
const elsewhere: typeof fetch = (url, init) =>
  new URL(String(url)).pathname === '/callback' ? Promise.reject(new Error('nobody is there')) : fetch(url, init)

async function walk(address: string): Promise<string> {
  return (await browse(address, { fetch: elsewhere })).address
}

/** Names of the files of a home that hold a text. */
function holding(folder: string, text: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.filter((file) => readFileSync(join(file.parentPath, file.name), 'latin1').includes(text)).map(({ name }) => name)
}

test('a login from a page of another machine ends with the address that is pasted; its secrets stay here, and it is forgotten', async () => {
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  const client = stage.connect()
  const { host } = new URL(accounts.issuer)
  expect(await look(client)).toMatchObject({ login: 'none', loginDetail: '', canLogIn: true, waits: false, canForget: false })
  expect(await act(client, 'logIn')).toEqual({ said: `Open the page of ${host} to log in; its link stands here now.` })
  const waiting = await look(client)
  expect(waiting).toMatchObject({ login: 'waits', canLogIn: false, waits: true, loginUntil: expect.any(Number) })
  expect(String(waiting.loginPage).startsWith(`${accounts.issuer}/auth?`)).toBe(true)
  const ended = await walk(String(waiting.loginPage))
  expect(await act(client, 'finish', { address: ` ${ended}\n` })).toEqual({ said: `Logged in to desk, by ${host}.` })
  const after = await look(client)
  expect(after).toMatchObject({
    login: 'good',
    loginDetail: expect.stringMatching(/^good until .*, and renewed$/),
    loginPage: '',
    canForget: true,
  })
  expect(await act(client, 'try')).toEqual({ said: 'The MCP server desk has 1 tools.' })
  const { access, refresh } = JSON.parse(stage.home.read('auth.json')).logins['mcp:desk']
  const shown = JSON.stringify([waiting, after, client.frames])
  for (const secret of [access, refresh]) {
    expect(holding(stage.home.home, secret)).toEqual(['auth.json'])
    expect(shown).not.toContain(secret)
  }
  expect(holding(stage.home.home, new URL(ended).searchParams.get('code') ?? 'none')).toEqual([])
  expect(await act(client, 'forget')).toEqual({ said: 'The login with desk is forgotten.' })
  expect(await look(client)).toMatchObject({ login: 'none', loginSaid: '' })
  expect(await act(client, 'try')).toEqual({ said: expect.stringContaining('it wants a login') })
})

test('a browser of this machine needs nothing pasted, and the page is told', async () => {
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  const client = stage.connect()
  const address = await begin(client)
  client.changed.length = 0
  await browse(address)
  await expect.poll(async () => (await look(client)).login).toBe('good')
  expect(client.changed).toContain('mcp')
  expect(await look(client)).toMatchObject({ loginSaid: `Logged in to desk, by ${new URL(accounts.issuer).host}.`, waits: false })
})

test('what is no answer to the login is refused and not repeated, and the login waits on; a person who says no ends it', async () => {
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  const client = stage.connect()
  const address = await begin(client)
  const back = new URL(address).searchParams.get('redirect_uri')
  const state = new URL(address).searchParams.get('state')
  for (const pasted of ['nonsense-of-mine', address, `${back}?code=nonsense-of-mine&state=other`, `${back}?code=nonsense-of-mine`]) {
    const { data, message } = await refused(client, 'finish', { address: pasted })
    expect([data.code, message.startsWith('This is no answer to the login to desk')]).toEqual(['USAGE', true])
    expect(message).not.toContain('nonsense-of-mine')
  }
  expect(holding(stage.home.home, 'nonsense-of-mine')).toEqual([])
  expect([await look(client), accounts.grants]).toMatchObject([{ waits: true, loginPage: address }, []])
  const { message } = await refused(client, 'finish', { address: `${back}?error=access_denied&state=${state}&iss=${accounts.issuer}` })
  expect(message).toContain('The login to desk did not succeed: access_denied.')
  expect(await look(client)).toMatchObject({ login: 'none', waits: false, canLogIn: true, loginSaid: message })
})

test('a login is given up, and another begins afresh: the answer to the one before is none', async () => {
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  const client = stage.connect()
  const first = await begin(client)
  expect(await act(client, 'giveUp')).toEqual({ said: 'The login to desk is given up.' })
  expect(await look(client)).toMatchObject({ login: 'none', waits: false, loginSaid: '' })
  expect(await refused(client, 'finish', { address: await walk(first) })).toMatchObject({ data: { code: 'LOGIN_FAILED' } })
  const second = await begin(client)
  const third = await begin(client)
  expect(await refused(client, 'finish', { address: await walk(second) })).toMatchObject({ data: { code: 'USAGE' } })
  expect(await act(client, 'finish', { address: await walk(third) })).toMatchObject({ said: expect.stringContaining('Logged in to desk') })
})

test('a login that waits ends where the login is forgotten, and where the server is taken out', async () => {
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  const client = stage.connect()
  for (const [method, said] of [
    ['forget', 'There was no login with desk.'],
    ['remove', 'desk is no MCP server any more'],
  ] as const) {
    const address = await begin(client)
    expect(await act(client, method)).toMatchObject({ said: expect.stringContaining(said) })
    expect(await browse(address), method).toMatchObject({ text: '' })
  }
  expect(accounts.grants).toEqual([])
})

test('two profiles have a login each, and the end of the dashboard ends what waits', async () => {
  await using accounts = await startAccounts()
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  stage.home.write('profiles/work/config.yaml', configOf(server))
  const [mine, work] = [stage.connect(), stage.connect({ query: '&profile=work' })]
  const [address, other] = [await begin(mine), await begin(work)]
  expect(other).not.toBe(address)
  expect(await refused(work, 'finish', { address: await walk(address) })).toMatchObject({ data: { code: 'USAGE' } })
  await act(work, 'finish', { address: await walk(other) })
  expect([await look(mine), await look(work)]).toMatchObject([
    { login: 'waits', loginSaid: '' },
    { login: 'good', canForget: true },
  ])
  expect(existsSync(join(stage.home.home, 'auth.json'))).toBe(false)
  expect(JSON.parse(stage.home.read('profiles/work/auth.json')).logins).toHaveProperty('mcp:desk')
  await stage.restart()
  expect(await look(stage.connect())).toMatchObject({ login: 'none', waits: false })
  await expect(browse(address)).resolves.toMatchObject({ text: '' })
})

test('what cannot begin is told, and a program of this machine has no login', async () => {
  await using accounts = await startOidcServer({ scopesOfResources: 'tools' })
  await using server = await startGuardedServer({ accounts })
  await using stage = await openChatStage({ config: configOf(server) })
  const client = stage.connect()
  expect((await refused(client, 'logIn')).message).toContain('does not let programs register themselves')
  expect(await look(client)).toMatchObject({ login: 'none', canLogIn: true, waits: false, loginSaid: '' })
  for (const url of [{ url: server.url }, {}]) {
    stage.home.write('config.yaml', JSON.stringify({ mcp_servers: { desk: { command: 'desk-server', ...url } } }))
    expect(await look(client)).toMatchObject({ login: '', canLogIn: false, waits: false })
  }
  expect((await refused(client, 'logIn')).message).toContain('it is a program of this machine')
})
