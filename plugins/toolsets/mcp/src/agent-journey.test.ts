// @module-tag process
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { type FakeOpenai, startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../../../../test/support/fakes/fake-vendor.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { fixtureServer } from '../test/contract.ts'
import { openToolset } from '../test/open-toolset.ts'

const call = (name: string, args: object): FakeAnswer => ({ calls: [{ name, args: JSON.stringify(args) }] })
const through = (name: string, args: object = {}): FakeAnswer => call('tool_call', { name, arguments: args })
const done: FakeAnswer = { text: 'Done.' }

interface Model {
  readonly server: FakeOpenai
  /** What the model was told in its request of this number. */
  told(at: number): string
}

async function openModel(answers: readonly FakeAnswer[]): Promise<Model & AsyncDisposable> {
  const server = await startFakeOpenai({ answers })
  const told = (at: number): string => {
    const messages = (server.requests[at]?.body.messages ?? []) as readonly { readonly content: unknown }[]
    return String(messages.at(-1)?.content)
  }
  return { server, told, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const markOf = ({ home }: TestHome): string => join(home, 'mark')
const startsOf = (home: TestHome): number => (existsSync(markOf(home)) ? readFileSync(markOf(home), 'utf8').split('start').length - 1 : 0)

function configure(home: TestHome, { server }: Model, settings: object = {}, mode = 'good'): void {
  const fix = { command: process.execPath, args: [fixtureServer, mode, markOf(home)], trust: 'hints', ...settings }
  const model = { provider: 'custom', default: 'fake-model', base_url: server.url }
  home.write('config.yaml', JSON.stringify({ model, mcp_servers: { fix } }))
}

const ask = (home: TestHome) => runHere(home, ['chat', '-z', 'work'])

proves(
  'purpose.mcp',
  'the model finds the tools of a configured server and calls them; the server starts when they are needed',
  async () => {
    using home = openTestHome()
    await using model = await openModel([
      done,
      ...[
        call('tool_search', { query: 'say it again' }),
        through('mcp_fix_echo', { message: 'hello' }),
        through('mcp_fix_write_file'),
        done,
      ],
      ...[call('tool_search', { query: 'say it again' }), done],
    ])
    configure(home, model)
    await ask(home)
    expect(startsOf(home)).toBe(0)
    expect(await ask(home)).toMatchObject({ code: 0, out: 'Done.\n' })
    expect(model.told(2)).toContain('"name":"mcp_fix_echo","description":"Says it again. (MCP server fix)"')
    expect(model.told(3)).toBe('hello')
    // It does not say that it only reads, and nobody can be asked.
    expect(model.told(4)).toMatch(/mcp_fix_write_file.*it is a tool of the MCP server fix.*Nobody can answer here/)
    expect(readFileSync(markOf(home), 'utf8')).not.toContain('write.file')
    expect(startsOf(home)).toBe(1)
    await ask(home)
    expect(model.told(6)).toContain('mcp_fix_echo')
    expect(startsOf(home)).toBe(1)
  },
)

test('a server that is trusted is not asked about, and one that asks is, also where it only reads', async () => {
  using home = openTestHome()
  await using model = await openModel([
    through('mcp_fix_write_file'),
    done,
    through('mcp_fix_echo', { message: 'x' }),
    done,
    through('mcp_fix_echo', { message: 'x' }),
    done,
  ])
  configure(home, model, { trust: 'full' })
  await ask(home)
  expect(model.told(1)).toBe('written')
  for (const [trust, at] of [
    ['ask', 3],
    // The default.
    [undefined, 5],
  ] as const) {
    configure(home, model, { trust })
    await ask(home)
    expect(model.told(at)).toMatch(/Nobody can answer here\..*mcp_fix_echo@fix\/echo/)
  }
})

test('a server that cannot start is named beside what was found, with its own words', async () => {
  using home = openTestHome()
  await using model = await openModel([call('tool_search', { query: 'echo' }), done])
  configure(home, model, {}, 'brief')
  await ask(home)
  expect(model.told(1)).toMatch(/The MCP server fix cannot be used: .*I lack the file licence\.txt/)
})

test('without a server no tool is any of theirs', async () => {
  using home = openTestHome()
  await using model = await openModel([done])
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'fake-model', base_url: model.server.url } }))
  await ask(home)
  expect(JSON.stringify(model.server.requests[0]?.body.tools)).not.toContain('mcp')
})

proves('limit.mcp-timeout', 'a call ends after the time of its server, which is 300 seconds where the settings name none', async () => {
  using home = openTestHome()
  await using model = await openModel([through('mcp_fix_hang'), through('mcp_fix_echo', { message: 'still here' }), done])
  configure(home, model, { timeout: 0.4 })
  await ask(home)
  expect(model.told(1)).toBe('mcp_fix_hang did not finish within 400 ms.')
  expect(model.told(2)).toBe('still here')
  expect(readFileSync(markOf(home), 'utf8')).toContain('notifications/cancelled')
  await using opened = await openToolset({ fix: { command: process.execPath, args: [fixtureServer] } })
  const { tools } = await opened.list()
  expect(new Set(tools.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([300_000]))
})

proves('slash.reload-mcp', '/reload-mcp starts the servers again and says what each has', async () => {
  using home = openTestHome()
  await using model = await openModel([])
  configure(home, model)
  const said = await runHere(home, ['chat', '--cli'], { input: '/reload-mcp\n/reload-mcp\n' })
  expect(said.out).toBe('The MCP server fix has 11 tools.\nThe MCP server fix has 11 tools.\n')
  expect(startsOf(home)).toBe(2)
  home.write('config.yaml', '{}')
  expect((await runHere(home, ['chat', '--cli'], { input: '/reload-mcp\n' })).out).toMatch(
    /^There are no MCP servers\. .*agent mcp add adds one\.\n$/,
  )
})

proves('cli.mcp-install', 'agent mcp install makes a server of the catalog one of the settings', async () => {
  using home = openTestHome()
  expect((await runHere(home, ['mcp', 'catalog'])).out).toContain('filesystem')
  expect(await runHere(home, ['mcp', 'install', 'filesystem', '--', '/srv/texts'])).toMatchObject({
    ...{ code: 0, out: expect.stringContaining('filesystem is an MCP server now') },
  })
  const { servers } = JSON.parse((await runHere(home, ['mcp', 'list', '--json'])).out)
  expect(servers).toMatchObject([{ name: 'filesystem', command: 'npx', args: ['-y', expect.stringMatching(/@\d{4}\./), '/srv/texts'] }])
  expect(await runHere(home, ['mcp', 'install', 'github'])).toMatchObject({ code: 2, note: expect.stringContaining('--env GITHUB_TOKEN=') })
  expect(await runHere(home, ['mcp', 'install', 'filesystm'])).toMatchObject({
    code: 1,
    note: expect.stringContaining('nearest is filesystem'),
  })
  expect(await runHere(home, ['mcp', 'install', 'memory', '--env', 'X=1'])).toMatchObject({ code: 2 })
})

test('the page of MCP servers: its commands run, and its settings fit', async () => {
  using home = openTestHome()
  const page = readFileSync(join(import.meta.dirname, '../../../../host/docs/use-mcp-servers.md'), 'utf8')
  const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? []
  for (const line of commands.trim().split('\n')) {
    const [program, ...words] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    expect([program, (await runHere(home, words)).code], line).toEqual(['agent', 0])
  }
  const [, settings = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? []
  home.write('config.yaml', settings)
  const { servers } = JSON.parse((await runHere(home, ['mcp', 'list', '--json'])).out)
  expect(servers).toMatchObject([
    { name: 'tickets', transport: 'http', headers: ['X-Tenant'], enabled: true },
    { name: 'clock', command: 'uvx', enabled: false, trust: 'full' },
  ])
  expect(servers.map(({ problem }: { problem?: string }) => problem)).toEqual([undefined, undefined])
})

test('agent mcp add takes a command or an address, keeps secrets apart, and switches and removes what it added', async () => {
  using home = openTestHome()
  const mcp = (...words: readonly string[]) => runHere(home, ['mcp', ...words])
  expect((await mcp()).out).toContain('There are no MCP servers.')
  await mcp('add', 'fix', '--env', 'API_TOKEN=hush-hush', '--timeout', '20', '--trust', 'ask', '--', process.execPath, fixtureServer)
  await mcp('add', 'far', '--url', 'https://far.example/mcp', '--header', 'Authorization: Bearer hush-hush')
  expect(home.read('config.yaml')).not.toContain('hush')
  expect(home.read('config.yaml')).toContain(`Authorization: $${'{'}MCP_FAR_AUTHORIZATION}`)
  expect(home.read('.env')).toContain("MCP_FAR_AUTHORIZATION='Bearer hush-hush'")
  const listed = await mcp('list')
  expect(listed.out).toMatch(/fix +on +stdio .*fixture-server\.mjs\nfar +on +http +https:\/\/far\.example\/mcp\n/)
  expect(await mcp('test', 'fix')).toMatchObject({ code: 0, out: 'The MCP server fix has 11 tools.\n' })
  expect((await mcp('disable', 'fix')).out).toBe('fix is off.\n')
  expect((await mcp('list')).out).toMatch(/fix +off/)
  expect((await mcp('enable', 'fix')).out).toBe('fix is on.\n')
  await mcp('add', 'gone', '--', '/nonexistent/program')
  expect(await mcp('test', 'gone', '--json')).toMatchObject({
    code: 1,
    out: expect.stringContaining('its command, or its folder, is not there'),
  })
  await mcp('remove', 'fix')
  expect((await mcp('list')).out).not.toContain('fix ')
  for (const words of [
    ['add', 'far', '--url', 'https://x.example'],
    ['add', 'x'],
    ['add', 'x', '--env', 'A', '--', 'y'],
    ['test', 'nobody'],
  ])
    expect(await mcp(...words), words.join(' ')).not.toMatchObject({ code: 0 })
})

test('a secret that a server was given is in nothing that the model reads of it', async () => {
  using home = openTestHome()
  await using model = await openModel([through('mcp_fix_environment'), done])
  home.write('.env', 'MY_TOKEN=plainwordsecret12345\n')
  configure(home, model, { env: { TOKEN: `\${MY_TOKEN}` }, trust: 'full' })
  await ask(home)
  expect(model.told(1)).toContain('"TOKEN":"[secret]"')
  expect(JSON.stringify(model.server.requests.map(({ body }) => body))).not.toContain('plainwordsecret12345')
})

test('a server is named by a name, and not by a way into the settings of another one', async () => {
  using home = openTestHome()
  expect(await runHere(home, ['mcp', 'add', 'fix', '--', 'true'])).toMatchObject({ code: 0 })
  const before = readFileSync(join(home.home, 'config.yaml'), 'utf8')
  for (const name of ['fix.env', '__proto__', 'a/b'])
    expect(await runHere(home, ['mcp', 'add', name, '--', 'true']), name).toMatchObject({
      code: 1,
      note: expect.stringContaining('a name that is none'),
    })
  expect(readFileSync(join(home.home, 'config.yaml'), 'utf8')).toBe(before)
})

test('a server asks a model in the middle of a call, which is counted; without the setting it cannot', async () => {
  using home = openTestHome()
  await using model = await openModel([
    through('mcp_every_trigger_sampling_request', { prompt: 'What is the sea?' }),
    { text: 'Water.' },
    done,
  ])
  const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
  const every = { command: process.execPath, args: [everything, 'stdio'], trust: 'full', sampling: true }
  const settings = { provider: 'custom', default: 'fake-model', base_url: model.server.url }
  home.write('config.yaml', JSON.stringify({ model: settings, mcp_servers: { every } }))
  expect(await ask(home)).toMatchObject({ code: 0, out: 'Done.\n' })
  expect(model.told(1)).toContain('What is the sea?')
  expect(model.told(2)).toContain('Water.')
  expect((await runHere(home, ['usage', '--json'])).out).toContain('mcp')
})
