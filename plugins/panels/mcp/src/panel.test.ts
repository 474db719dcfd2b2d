import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function open() {
  const { context } = openTestContext({ manifest, contribution: 'mcp', config: {} })
  const { run } = await panel.open(context, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

const blank = { words: [], headers: [], variables: [], trust: 'untrusted' }
const notes = { name: 'notes', what: 'notes-server -q', trust: 'untrusted', problem: '', variables: '', headers: '' }
const noLogin = { login: '', loginDetail: 'Only a server with an address has one here.', loginSaid: '', loginPage: '', loginUntil: '' }
const noWay = { canLogIn: false, waits: false, canForget: false }

test('a server is shown, tried, turned off and on, and taken out', async () => {
  const run = await open()
  const item = 'notes'
  expect(await run({ method: 'servers' })).toEqual({
    rows: [{ ...notes, ...noLogin, ...noWay, state: 'on', tried: '', isOn: true, isOff: false }],
  })
  expect(await run({ method: 'try', item })).toEqual({ said: 'notes has 2 tools.' })
  expect(await run({ method: 'server', item })).toMatchObject({ item: { ...notes, tried: 'notes has 2 tools.' } })
  expect(await run({ method: 'turnOff', item })).toEqual({ said: 'notes is off.' })
  expect(await run({ method: 'server', item })).toMatchObject({ item: { state: 'off', isOn: false, isOff: true } })
  expect(await run({ method: 'turnOn', item })).toEqual({ said: 'notes is on.' })
  expect(await run({ method: 'remove', item })).toEqual({ said: 'notes is no MCP server any more.' })
  await expect(run({ method: 'server', item })).rejects.toMatchObject({ code: 'MCP_SERVER_UNKNOWN' })
})

test('one of the catalog is added with what it needs', async () => {
  const run = await open()
  const offer = { name: 'far', about: 'Looks far.', needs: 'FAR_TOKEN: A token', docs: 'https://far.example' }
  expect(await run({ method: 'catalog' })).toEqual({ rows: [{ ...offer, state: 'not added' }] })
  await run({ method: 'install', item: 'far', input: { words: [], variables: ['FAR_TOKEN = a=b '] } })
  expect(await run({ method: 'offer', item: 'far' })).toEqual({ item: { ...offer, state: 'added' } })
  expect(await run({ method: 'server', item: 'far' })).toMatchObject({ item: { what: 'https://far.example/mcp', variables: 'FAR_TOKEN' } })
  await expect(run({ method: 'offer', item: 'near' })).rejects.toMatchObject({ code: 'MCP_SERVER_UNKNOWN' })
})

test('another one is added by its command, or by its address', async () => {
  const run = await open()
  const words = ['-q', 'two words']
  await run({ method: 'add', input: { ...blank, name: ' near ', command: ' near-server ', words, variables: ['A=1'], trust: 'hints' } })
  expect(await run({ method: 'server', item: 'near' })).toMatchObject({
    item: { what: 'near-server -q two words', variables: 'A', trust: 'hints', headers: '' },
  })
  await run({ method: 'add', input: { ...blank, name: 'there', url: 'https://there.example', headers: ['X-Key=1'] } })
  expect(await run({ method: 'server', item: 'there' })).toMatchObject({ item: { what: 'https://there.example', headers: 'X-Key' } })
})

test('a line that is no pair is named and not repeated', async () => {
  const run = await open()
  for (const [field, label] of [
    ['variables', 'Variables'],
    ['headers', 'Headers'],
  ] as const) {
    const input = { ...blank, name: 'near', command: 'x', [field]: ['A=1', 'sk-secret'] }
    await expect(run({ method: 'add', input })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(new RegExp(`^Line 2 of ${label} is no NAME=VALUE\\.(?!.*sk-secret)`)),
    })
  }
})

test('a login to one with an address begins, is given up, ends with an address that is its own, and is forgotten', async () => {
  const run = await open()
  const item = 'there'
  await run({ method: 'add', input: { ...blank, name: item, url: 'https://there.example' } })
  const look = () => run({ method: 'server', item })
  expect(await look()).toMatchObject({ item: { login: 'none', loginDetail: '', ...noWay, canLogIn: true } })
  expect(await run({ method: 'logIn', item })).toEqual({ said: 'Open the page of accounts.example to log in; its link stands here now.' })
  const waiting = { login: 'waits', loginPage: 'https://accounts.example/?state=login-there', ...noWay, waits: true }
  expect(await look()).toMatchObject({
    item: { ...waiting, loginDetail: expect.stringContaining('Open the page'), loginUntil: 1_700_000_000_000 },
  })
  expect(await run({ method: 'giveUp', item })).toEqual({ said: 'The login to there is given up.' })
  const finish = (address: string) => run({ method: 'finish', item, input: { address } })
  await expect(finish('http://127.0.0.1/?state=login-there')).rejects.toMatchObject({ code: 'LOGIN_FAILED' })
  await run({ method: 'logIn', item })
  await expect(finish('http://127.0.0.1/?state=other')).rejects.toMatchObject({ code: 'USAGE' })
  const said = 'Logged in to there, by accounts.example.'
  expect(await finish('http://127.0.0.1/?state=login-there')).toEqual({ said })
  expect(await look()).toMatchObject({ item: { login: 'good', loginSaid: said, loginPage: '', ...noWay, canLogIn: true, canForget: true } })
  expect(await run({ method: 'forget', item })).toEqual({ said: 'The login with there is forgotten.' })
  expect(await look()).toMatchObject({ item: { login: 'none', canForget: false } })
})

test('a login of the home around the profile is named so, and not forgotten here; one that is renewed is good', async () => {
  const { context } = openTestContext({ manifest, contribution: 'mcp', config: {} })
  const login = { state: 'renews', detail: 'over since noon; renewed at its next use', inherited: true } as const
  const list = async () => [{ ...(await context.mcp.list())[0], name: 'desk', login }] as unknown as ReturnType<typeof context.mcp.list>
  const { run } = await panel.open({ ...context, mcp: { ...context.mcp, list } }, call)
  const loginDetail = 'over since noon; renewed at its next use; it belongs to the home around this profile'
  expect(await run({ method: 'server', item: 'desk', input: {} }, call)).toMatchObject({
    item: { login: 'good', loginDetail, canForget: false },
  })
})
