// @module-tag server
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { browse, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from '../commands/setup.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'setup-model-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function addProvider(baseUrl: string, more: object): void {
  const manifest = {
    ...{ manifestVersion: 1, id: 'provider-mine', name: 'Mine', description: 'A server of my own.', version: '1.0.0', license: 'MIT' },
    api: { provider: 1 },
    contributes: { providers: [{ id: 'mine', label: 'Mine', protocol: 'openai-chat', baseUrl, defaultModel: 'fake-model', ...more }] },
    env: [{ name: 'MINE_API_KEY', secret: true, required: false, prompt: 'Key' }],
    permissions: { net: { value: 'any', reason: 'It asks the server.' } },
  }
  mkdirSync(join(home, 'plugins', 'local', 'provider-mine'), { recursive: true })
  writeFileSync(join(home, 'plugins', 'local', 'provider-mine', 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(home, 'config.yaml'), 'plugins: { entries: { provider-mine: { enabled: true } } }\n')
}

const controlC = '\u0003'

/** Answers each question of the list in turn, and uses a browser where that is asked for. */
async function walk(words: readonly string[], script: readonly (readonly [question: RegExp, typed: string])[]) {
  const input = new PassThrough()
  const left = [...script]
  const onNote = (line: string): void => {
    if (line.startsWith('With the code in it: ')) void browse(line.slice(21))
    if (line.startsWith('Open this address')) void browse(line.split('\n')[1] ?? '').then(({ address }) => input.write(`${address}\n`))
    const [next] = left
    if (next === undefined || !next[0].test(line)) return
    left.shift()
    setImmediate(() => input.write(next[1] === controlC ? controlC : `${next[1]}\n`))
  }
  const environment = { AGENT_HOME: home }
  const ran = await runCommand(command, ['model', ...words], { installRoot, environment, input, onNote, terminal: true })
  expect(left).toEqual([])
  return ran
}

const settings = (): string => readFileSync(join(home, 'config.yaml'), 'utf8')

test('by a key: left at each question and gone on with, a wrong key and a wrong model corrected', async () => {
  await using vendor = await startFakeOpenai({ key: 'sk-right-1', models: ['fake-model'] })
  addProvider(vendor.url, { auth: 'api-key', keyEnv: ['MINE_API_KEY'] })
  expect((await walk([], [[/^Which provider\?/, controlC]])).error).toBe('INTERRUPTED')
  expect((await walk(['mine'], [[/^Key of mine/, controlC]])).error).toBe('INTERRUPTED')
  expect(existsSync(join(home, '.env'))).toBe(false)
  const wrong = [/^Key of mine/, 'sk-wrong-1'] as const
  expect((await walk([], [[/^Which provider/, 'min'], [/^Which provider/, 'mine'], wrong, [/^Try another/, controlC]])).error).toBe(
    'INTERRUPTED',
  )
  const first = await walk(
    [],
    [
      [/^Which provider\? \(Enter: mine\)/, ''],
      [/^Try another/, ''],
    ],
  )
  expect([first.code, first.note]).toEqual([1, expect.stringContaining('did not answer')])
  expect(settings()).not.toContain('provider: mine')
  const corrected = [
    [/^Try another/, 'key'],
    [/^Key of mine/, 'sk-right-1'],
    [/^Keep fake-model\?/, '?'],
    [/^Keep fake-model\?/, 'other'],
  ] as const
  const done = await walk(['mine'], [...corrected, [/^Keep fake-model\?/, '']])
  expect([done.code, done.note]).toEqual([0, expect.stringMatching(/mine answers from now on with fake-model\.[\s\S]*\nfake-model\n/)])
  expect(done.note).toMatch(/mine\/other did not answer[\s\S]*mine goes on answering with fake-model\./)
  expect([settings(), readFileSync(join(home, '.env'), 'utf8')]).toEqual([
    expect.stringContaining('default: fake-model'),
    'MINE_API_KEY=sk-right-1\n',
  ])
  expect(done.note + done.out).not.toContain('sk-right-1')
})

test('the usual model is kept once it answers, another takes its place when that answers too, and it is what the next time begins with', async () => {
  await using vendor = await startFakeOpenai({ models: ['fake-model', 'other'] })
  addProvider(vendor.url, { auth: 'none' })
  expect((await walk(['mine'], [[/^Keep fake-model\?/, controlC]])).error).toBe('INTERRUPTED')
  expect(settings()).toContain('default: fake-model')
  await walk(
    ['mine'],
    [
      [/^Keep fake-model\?/, 'other'],
      [/^Keep other\?/, 'y'],
    ],
  )
  expect(settings()).toContain('default: other')
  await walk(['mine'], [[/^Keep other\?/, '']])
  expect(settings()).toContain('default: other')
})

test('a dear model is asked about before it is tried, and taken by a yes alone', async () => {
  await using vendor = await startFakeOpenai({ models: ['fake-model', 'gold'] })
  addProvider(vendor.url, { auth: 'none' })
  writeFileSync(join(home, 'config.yaml'), `${settings()}prices: [{ provider: mine, model: gold, input: 25, output: 100 }]\n`)
  const isDear = /^mine\/gold is dear: a million tokens cost \$25 in and \$100 out\. Take it\? \[y\/N\]/
  const refused = await walk(
    ['mine'],
    [
      [/^Keep fake-model\?/, 'gold'],
      [isDear, ''],
      [/^Keep fake-model\?/, ''],
    ],
  )
  expect([refused.note, settings()]).toEqual([
    expect.stringContaining('mine goes on answering with fake-model.'),
    expect.stringContaining('default: fake-model'),
  ])
  expect(vendor.requests.map(({ body }) => body.model)).toEqual(['fake-model'])
  await walk(
    ['mine'],
    [
      [/^Keep fake-model\?/, 'gold'],
      [isDear, 'y'],
      [/^Keep gold\?/, ''],
    ],
  )
  expect(settings()).toContain('default: gold')
})

test('where the usual model does not answer another one is named', async () => {
  await using vendor = await startFakeOpenai({ models: ['fake-model'] })
  addProvider(vendor.url, { auth: 'none', defaultModel: 'gone' })
  const done = await walk(
    ['mine'],
    [
      [/^Try another model/, 'model'],
      [/^Which model of mine\? \(Enter: gone\)/, 'fake-model'],
    ],
  )
  expect([done.code, settings()]).toEqual([0, expect.stringContaining('default: fake-model')])
})

test.each(['device-code', 'pkce', 'cli'])(
  'by a login (%s): what it gained stays where the person leaves, and Enter confirms the model',
  async (kind) => {
    await using server = await startOidcServer({ interval: 0.01 })
    await using vendor = await startFakeOpenai({})
    const { issuer, clientId } = server
    const file = join(home, 'theirs.json')
    writeFileSync(file, '{"token": "tok-theirs"}')
    const oauth = { kind, issuer, clientId, scopes: ['openid', 'offline_access'] }
    const logins = {
      pkce: { ...oauth, redirectUrl: 'http://127.0.0.1:1/callback' },
      cli: { kind, program: 'Theirs', file, tokenAt: '/token' },
    }
    addProvider(vendor.url, { auth: 'login', login: logins[kind as 'pkce'] ?? oauth })
    expect((await walk(['mine'], [[/^Keep fake-model\?/, controlC]])).error).toBe('INTERRUPTED')
    expect([vendor.requests.length, settings()]).toEqual([1, expect.stringContaining('provider: mine')])
    const done = await walk(
      [],
      [
        [/^Which provider\? \(Enter: mine\)/, ''],
        [/^Keep fake-model\?/, ''],
      ],
    )
    expect([done.code, done.note]).toEqual([0, expect.stringContaining('mine answers from now on with fake-model.')])
    // The second time needed no login.
    expect(done.note).not.toMatch(/^Open /m)
    expect([vendor.requests.length, settings()]).toEqual([2, expect.stringContaining('provider: mine')])
  },
)

test('where a provider takes both, the person says which; a server of theirs needs its address', async () => {
  await using server = await startOidcServer({ interval: 0.01 })
  await using vendor = await startFakeOpenai({})
  const { issuer, clientId } = server
  addProvider(vendor.url, {
    auth: 'api-key',
    keyEnv: ['MINE_API_KEY'],
    login: { kind: 'device-code', issuer, clientId, scopes: ['openid'] },
  })
  expect(
    (
      await walk(
        ['mine'],
        [
          [/takes a login or a key/, 'k'],
          [/^Key of mine/, controlC],
        ],
      )
    ).error,
  ).toBe('INTERRUPTED')
  const done = await walk(
    ['mine'],
    [
      [/takes a login or a key/, ''],
      [/^Keep fake-model\?/, ''],
    ],
  )
  expect(done.note).toContain('mine answers from now on')
  const address = [/^Address of custom/, vendor.url] as const
  const own = await walk(
    ['custom'],
    [[/^Key of custom.*Enter: none/, ''], address, [/^Which model of custom\?$/, ''], [/^Which model/, 'fake-model']],
  )
  expect([own.code, settings()]).toEqual([0, expect.stringContaining(vendor.url)])
  expect((await runCommand(command, ['model'], { installRoot, environment: { AGENT_HOME: home } })).error).toBe('USAGE')
})
