// @module-tag server
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openAgent } from '#agent/open-agent.ts'
import { changeAuthFile } from '#config/auth/auth-file.ts'
import { keepKey } from '#config/auth/keys.ts'
import { systemClock } from '#kernel/clock.ts'
import { fingerprintOf } from '#models/credentials/pool.ts'
import { tryModel } from '#models/try-model.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { browse, type OidcServer, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import type { Cli } from '../console/cli.ts'
import { checkModel } from '../doctor/check-model.ts'
import { command as auth } from './auth.ts'
import { command as loginCommand } from './login.ts'
import { command as logout } from './logout.ts'
import { command as model } from './model.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'auth-command-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

type Login = Readonly<Record<string, unknown>>

/** A provider `mine` that is logged in to as `login` says. */
function addProvider(baseUrl: string, login: Login, more: object = {}): void {
  const manifest = {
    ...{ manifestVersion: 1, id: 'provider-mine', name: 'Mine', description: 'A server of my own.', version: '1.0.0', license: 'MIT' },
    api: { provider: 1 },
    contributes: {
      providers: [
        { id: 'mine', label: 'Mine', protocol: 'openai-chat', auth: 'login', baseUrl, defaultModel: 'fake-model', login, ...more },
      ],
    },
    env: [
      { name: 'MINE_CLIENT_ID', secret: false, required: false, prompt: 'Client id' },
      { name: 'MINE_API_KEY', secret: true, required: false, prompt: 'Key' },
    ],
    permissions: { net: { value: 'any', reason: 'It asks the server.' } },
  }
  mkdirSync(join(home, 'plugins', 'local', 'provider-mine'), { recursive: true })
  writeFileSync(join(home, 'plugins', 'local', 'provider-mine', 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(home, 'config.yaml'), 'plugins: { entries: { provider-mine: { enabled: true } } }\n')
}

const pkceOf = ({ issuer, clientId }: OidcServer): Login => ({
  ...{ kind: 'pkce', issuer, clientId, scopes: ['openid', 'offline_access'] },
  loopback: { path: '/callback' },
})

type Made = Parameters<typeof runCommand>[0]
type More = Partial<Parameters<typeof runCommand>[2]>
const run = (made: Made, words: string[], more: More = {}) =>
  runCommand(made, words, { installRoot, ...more, environment: { AGENT_HOME: home, ...more.environment } })

/** Opens the address that the command prints. */
const inBrowser = { onNote: (line: string) => void (line.startsWith('Open this address') && browse(line.split('\n')[1] ?? '')) }

test('a login by the browser: kept, tried with one call, chosen where nothing was; listed, and forgotten', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  addProvider(vendor.url, pkceOf(server))
  expect((await run(auth, [])).out).toMatch(/^Nobody is logged in/)
  expect((await run(model, [])).out).toMatch(/mine +available +needs agent login mine\n/)
  expect(await run(auth, ['status', 'mine'])).toMatchObject({ code: 1, out: expect.stringContaining('agent login mine begins a login') })
  const done = await run(loginCommand, ['mine'], inBrowser)
  expect([done.code, done.out]).toEqual([0, 'Logged in to mine.\nmine answers from now on with fake-model.\n'])
  const { logins } = JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8'))
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${logins.mine.access}`])
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('provider: mine')
  expect((await run(auth, ['list'])).out).toMatch(/^mine +pkce +good +good until .*, and renewed\n$/)
  expect((await run(model, [])).out).toMatch(/mine +chosen *\n/)
  const doctor = (cli: Cli) => new Command('doctor').action(async () => cli.json(await checkModel(cli, await openCatalog(cli), false)))
  expect((await run(doctor, [])).out).toContain('mine/fake-model; its server answers')
  const status = await run(auth, ['status', 'mine', '--json'])
  expect([status.code, JSON.parse(status.out)]).toMatchObject([0, { provider: 'mine', logins: [{ kind: 'pkce', state: 'good' }] }])
  expect(`${done.out}${done.note}${status.out}`).not.toContain(logins.mine.access)
  expect(await run(logout, ['mine'])).toMatchObject({ code: 0, out: 'The login of mine is forgotten.\n' })
  expect(await run(auth, ['logout', 'mine'])).toMatchObject({ code: 1, out: 'There was no login of mine.\n' })
})

proves(
  'state.onboarding.confirming',
  'who logs in at a terminal where nothing was chosen confirms the model of the provider, or changes it; as JSON nothing is asked',
  async () => {
    await using server = await startOidcServer()
    await using vendor = await startFakeOpenai({ models: ['fake-model', 'other'] })
    addProvider(vendor.url, pkceOf(server))
    const input = new PassThrough()
    const words = ['gone', 'other', '']
    const kept: string[] = []
    const onNote = (line: string): void => {
      if (line.startsWith('Open this address')) void browse(line.split('\n')[1] ?? '')
      if (!line.startsWith('Keep ')) return
      kept.push(/default: \S+/.exec(readFileSync(join(home, 'config.yaml'), 'utf8'))?.[0] ?? '')
      setImmediate(() => input.write(`${words.shift()}\n`))
    }
    const done = await run(loginCommand, ['mine'], { input, onNote, terminal: true })
    expect([done.code, words, kept]).toEqual([0, [], ['default: fake-model', 'default: fake-model', 'default: other']])
    expect(done.note).toMatch(/mine\/gone did not answer[\s\S]*mine goes on answering with fake-model\./)
    const again = await run(loginCommand, ['mine'], { input: new PassThrough(), onNote, terminal: true })
    expect([again.code, again.note.includes('Keep '), kept.length]).toEqual([0, false, 3])
    addProvider(vendor.url, pkceOf(server))
    rmSync(join(home, 'auth.json'))
    const plain = await run(loginCommand, ['mine', '--json'], { input: new PassThrough(), onNote, terminal: true })
    expect([plain.code, JSON.parse(plain.out).chosen, kept.length]).toEqual([0, true, 3])
  },
)

test('a login by a pasted address, beside another provider that stays chosen; what does not answer is told, and the login kept', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({ answers: [{ refuse: { status: 402, message: 'no credit' } }] })
  addProvider(vendor.url, { ...pkceOf(server), loopback: undefined, redirectUrl: 'http://127.0.0.1:1/callback' })
  const input = new PassThrough()
  const onNote = (line: string): void => {
    if (line.startsWith('Open this address')) void browse(line.split('\n')[1] ?? '').then((page) => input.write(`${page.address}\n`))
  }
  const done = await run(loginCommand, ['mine', '--json'], { input, onNote, environment: { OPENAI_API_KEY: 'sk-other-1' } })
  expect([done.code, JSON.parse(done.out)]).toEqual([1, { provider: 'mine', model: 'fake-model', answers: false, chosen: false }])
  expect((await run(auth, ['list', '--json'])).out).toContain('"provider": "mine"')
})

proves('auth.provider.methods', 'by device code, by a pasted code, by the login of another program and by a key', async () => {
  await using server = await startOidcServer({ interval: 0.01 })
  await using vendor = await startFakeOpenai({})
  const { issuer, clientId } = server
  const scopes = ['openid', 'offline_access']
  const file = join(home, 'theirs.json')
  writeFileSync(file, '{"token": "tok-theirs"}')
  const input = new PassThrough()
  const onNote = (line: string): void => {
    if (line.startsWith('With the code in it: ')) void browse(line.slice(21))
    if (line.startsWith('Open this address')) {
      void browse(line.split('\n')[1] ?? '').then(({ address }) => input.write(`${new URL(address).searchParams.get('code')}\n`))
    }
  }
  for (const login of [
    { kind: 'device-code', issuer, clientId, scopes },
    { kind: 'pkce', issuer, clientId, scopes, redirectUrl: 'http://127.0.0.1:1/callback' },
    { kind: 'cli', program: 'Theirs', file, tokenAt: '/token' },
  ]) {
    addProvider(vendor.url, login)
    expect(await run(loginCommand, ['mine'], { input, onNote })).toMatchObject({ code: 0, out: expect.stringMatching(/mine\S* answers/) })
    const { logins } = JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8'))
    expect(vendor.requests.at(-1)?.headers.authorization).toBe(`Bearer ${logins.mine.access ?? 'tok-theirs'}`)
  }
  const keyed = await run(model, ['custom', 'fake-model', '--url', vendor.url], { environment: { CUSTOM_API_KEY: 'sk-typed-1' } })
  expect([keyed.code, vendor.requests.at(-1)?.headers.authorization]).toEqual([0, 'Bearer sk-typed-1'])
})

test('a key that is set is listed beside the logins, where it stands, and is no secret of the list', async () => {
  addProvider(
    'http://127.0.0.1:1/v1',
    { kind: 'cli', program: 'Theirs', file: '/nowhere', tokenAt: '/token' },
    { auth: 'api-key', keyEnv: ['MINE_API_KEY'] },
  )
  const without = await run(auth, ['status', 'mine'])
  expect([without.code, without.out]).toEqual([1, expect.stringContaining('agent login mine begins a login')])
  writeFileSync(join(home, '.env'), 'MINE_API_KEY=sk-mine-1\n')
  const status = await run(auth, ['status', 'mine'])
  expect([status.code, status.out]).toEqual([0, `mine (key): good; MINE_API_KEY is set. It lies in ${join(home, '.env')}.\n`])
  const list = await run(auth, ['list'], { environment: { OPENAI_API_KEY: 'sk-other-1' } })
  expect(list.out).toMatch(/^openai +key +good +OPENAI_API_KEY is set\n/m)
  expect(list.out).toMatch(/^mine +key +good +MINE_API_KEY is set\n/m)
  const [openai] = JSON.parse(
    (await run(auth, ['status', 'openai', '--json'], { environment: { OPENAI_API_KEY: 'sk-other-1' } })).out,
  ).logins
  expect(openai).toMatchObject({ provider: 'openai', kind: 'key', file: 'the environment' })
  expect(status.out + list.out).not.toMatch(/sk-/)
})

test('a device code is shown with its address, and Ctrl-C ends the wait and keeps nothing', async () => {
  await using server = await startOidcServer()
  const { issuer, clientId } = server
  addProvider('http://127.0.0.1:1/v1', { kind: 'device-code', issuer, clientIdEnv: 'MINE_CLIENT_ID' })
  const missing = await run(loginCommand, ['mine'])
  expect([missing.error, missing.note]).toEqual([
    'LOGIN_FAILED',
    expect.stringMatching(/asks for a client id.*put one that you may use into MINE_CLIENT_ID=… in /),
  ])
  const stop = new AbortController()
  const onNote = (line: string): void => {
    if (line.includes('Waiting')) stop.abort()
  }
  const shown = await run(loginCommand, ['mine'], { signal: stop.signal, onNote, environment: { MINE_CLIENT_ID: clientId } })
  expect(shown.note).toMatch(new RegExp(`^Open ${issuer}/device in a browser, on any machine, and type in this code: [A-Z-]+\n`))
  expect(shown.note).toContain(`With the code in it: ${issuer}/device?user_code=`)
  expect((await run(auth, ['list'])).out).toMatch(/^Nobody is logged in/)
})

test("another program's login is used where it is there; a provider without a login says so", async () => {
  const file = join(home, 'theirs.json')
  addProvider('http://127.0.0.1:1/v1', { kind: 'cli', program: 'Theirs', file, tokenAt: '/token' })
  expect(await run(loginCommand, ['mine', '--no-try'])).toMatchObject({
    error: 'LOGIN_FAILED',
    note: expect.stringContaining('log in there first'),
  })
  writeFileSync(file, '{"token": "tok-theirs"}')
  expect(await run(loginCommand, ['mine', '--no-try'])).toMatchObject({ code: 0, out: 'Logged in to mine.\n' })
  expect(readFileSync(join(home, 'auth.json'), 'utf8')).not.toContain('tok-theirs')
  expect(await run(loginCommand, ['openai'])).toMatchObject({ error: 'UNSUPPORTED', note: expect.stringContaining('OPENAI_API_KEY') })
})

test('an agent that runs uses a login that comes, and the strategy of its settings for several keys', async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({})
  addProvider(vendor.url, pkceOf(server))
  writeFileSync(
    join(home, 'config.yaml'),
    `plugins: { entries: { provider-mine: { enabled: true } } }
model: { provider: custom, base_url: "${vendor.url}" }
credential_pool_strategies: { custom: round_robin }
`,
  )
  keepKey(join(home, 'auth.json'), 'custom', { key: 'sk-second-1', at: 1 })
  const environment = { AGENT_HOME: home, CUSTOM_API_KEY: 'sk-first-1' }
  const agent = await openAgent({ installRoot, environment, profile: undefined, note: () => undefined })
  const ask = async (provider: string) =>
    tryModel(await agent.models.model({ provider, model: 'fake-model' }), { clock: systemClock, signal: new AbortController().signal })
  try {
    await expect(ask('mine')).rejects.toMatchObject({ code: 'LOGIN_NEEDED' })
    await run(loginCommand, ['mine', '--no-try'], inBrowser)
    await ask('mine')
    for (const _ of [1, 2, 3]) await ask('custom')
  } finally {
    await agent.close()
  }
  const [login, ...keys] = vendor.requests.map(({ headers }) => headers.authorization)
  const { logins } = JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8'))
  expect([login, keys]).toEqual([`Bearer ${logins.mine.access}`, ['Bearer sk-first-1', 'Bearer sk-second-1', 'Bearer sk-first-1']])
  expect(agent.loaded.environment.secrets()).toContain(logins.mine.access)
})

test('a key that holds before a login is named', async () => {
  await using server = await startOidcServer()
  addProvider('http://127.0.0.1:1/v1', pkceOf(server), { auth: 'api-key', keyEnv: ['MINE_API_KEY'] })
  const { out } = await run(loginCommand, ['mine', '--no-try'], { ...inBrowser, environment: { MINE_API_KEY: 'sk-mine-1' } })
  expect(out).toBe('Logged in to mine.\nMINE_API_KEY is set, and holds before the login.\n')
})

test('further keys are kept unseen, listed by number, forgotten, and used again after a rest', async () => {
  const add = (key: string, ...words: string[]) => run(auth, ['add', 'openai', ...words], { input: Readable.from([`${key}\n`]) })
  expect((await add('sk-second-1', '--label', 'team')).out).toBe('The key is kept. openai uses it beside the others.\n')
  expect((await add('sk-second-1')).out).toBe('That key was there already.\n')
  expect((await add('sk-third-1')).code).toBe(0)
  expect((await add('  ')).error).toBe('USAGE')
  const listed = (await run(auth, [])).out
  expect(listed).toMatch(/^openai +key +good +1, team, kept \d{4}-\d\d-\d\d\nopenai +key +good +2, kept .*\n$/)
  expect(listed).not.toContain('sk-')
  expect((await run(model, [])).out).toMatch(/openai +chosen *\n/)
  const rests = { openai: { [fingerprintOf('sk-third-1')]: { until: Date.now() + 60_000, class: 'billing' } } }
  changeAuthFile(join(home, 'auth.json'), (data) => ({ data: { ...data, rests }, result: undefined }))
  expect((await run(auth, ['list'])).out).toMatch(/openai +key +rests +2, kept .*; rests until .* \(billing\)\n/)
  expect((await run(auth, ['reset', 'openai'])).out).toBe('One key of openai may be used again.\n')
  expect((await run(auth, ['reset', 'openai'])).out).toBe('No key of openai rested.\n')
  expect((await run(auth, ['remove', 'openai', '1'])).out).toBe('Key 1 of openai is forgotten.\n')
  expect((await run(auth, ['remove', 'openai', '2'])).error).toBe('USAGE')
  expect((await run(auth, ['remove', 'openai', '1'])).code).toBe(0)
  expect((await run(auth, ['add', 'offline'])).error).toBe('UNSUPPORTED')
})
