// @module-tag process
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { root } from '../repo/source-files.ts'
import { fetchVerdaccio, openRegistry, type Registry } from '../support/fakes/verdaccio.ts'
import { fingerprint } from '../support/fingerprint.ts'
import { diceFiles } from '../support/install-stage.ts'
import { needs } from '../support/needs.ts'
import { readStarted } from '../support/processes-of.ts'
import { type AgentRun, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { missingTmux, openTerminal } from '../support/tmux.ts'
import { writePackage } from '../support/write-tar.ts'

const missing = await fetchVerdaccio()

let registry: Registry
let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const agent = (...words: string[]): Promise<AgentRun> => runHere(home, words)
const json = async (...words: string[]): Promise<Record<string, never>> => JSON.parse((await agent(...words, '--json')).out)
const lock = (): string => home.read('plugins/plugins.lock.json')
const locked = (id: string): Record<string, unknown> => JSON.parse(lock()).plugins[id]

async function install(...words: string[]): Promise<AgentRun> {
  const { consent } = (await json('plugins', ...words)) as unknown as { consent: { hash: string } }
  const ran = await agent('plugins', ...words, '--accept', consent.hash)
  expect(ran).toMatchObject({ code: 0 })
  return ran
}

describe('with a real registry', { ...needs(missing), timeout: 120_000 }, () => {
  beforeAll(async () => {
    registry = await openRegistry()
    process.stdout.write(`${registry.banner}\n`)
  })
  afterAll(() => registry[Symbol.asyncDispose]())
  beforeEach(() => writeFileSync(join(home.folder, '.npmrc'), registry.npmrc))

  test('a plugin is searched, installed, used, updated with consent, rolled back and removed, and nothing is left', async () => {
    await registry.publish(diceFiles({}, { description: 'Rolls dice.' }))
    await registry.publish({
      'package.json': JSON.stringify({ name: 'dice-of-others', version: '1.0.0', description: 'For an agent-plugin' }),
    })
    home.write('config.yaml', '# mine\n_config_version: 26\n')
    const before = fingerprint(join(home.home))
    expect((await agent('plugins', 'search', 'cards')).out).toBe('The registry has no plugin that fits.\n')
    expect(await json('plugins', 'search', 'dice')).toEqual({
      packages: [{ name: 'agent-plugin-dice', version: '1.0.0', description: 'Rolls dice.', date: expect.any(String) }],
    })

    await install('install', 'agent-plugin-dice@^1.0.0')
    expect(locked('toolset-dice')).toMatchObject({
      spec: 'agent-plugin-dice@^1.0.0',
      resolved: `${registry.url}agent-plugin-dice/-/agent-plugin-dice-1.0.0.tgz`,
      registry: registry.url.replace(/\/$/, ''),
    })
    expect((await agent('chat', '-z', 'call roll {}')).out).not.toMatch(/^4$/m)
    await agent('plugins', 'enable', 'toolset-dice')
    expect((await agent('chat', '-z', 'call roll {}')).out).toMatch(/^4$/m)

    await registry.publish(diceFiles({ version: '1.1.0', tools: ['roll', 'flip'] }))
    const installed = fingerprint(join(home.home, 'plugins'))
    expect(await agent('plugins', 'update')).toMatchObject({ code: 1, note: expect.stringContaining('New since you agreed:\n  tool flip') })
    expect(fingerprint(join(home.home, 'plugins'))).toBe(installed)
    await install('update', 'toolset-dice')
    expect((await agent('chat', '-z', 'call flip {}')).out).toMatch(/^4$/m)
    await registry.publish(diceFiles({ version: '2.0.0' }))
    expect((await agent('plugins', 'update')).out).toContain('toolset-dice 1.1.0 is installed already.')
    expect((await agent('plugins', 'rollback', 'toolset-dice')).out).toContain('toolset-dice 1.0.0 is installed; it was 1.1.0.')
    expect((await agent('plugins', 'list')).out).toMatch(/^toolset-dice +ready/m)
    expect((await agent('chat', '-z', 'call flip {}')).out).not.toMatch(/^4$/m)

    expect(await agent('plugins', 'remove', 'toolset-dice', '--data')).toMatchObject({ code: 0, note: '' })
    for (const name of readdirSync(home.home))
      if (!['config.yaml', 'plugins', '.no-bundled-skills'].includes(name)) rmSync(join(home.home, name), { recursive: true })
    expect(fingerprint(home.home)).toBe(before)
    expect(readStarted(home)).toEqual([])
  })

  test('what a package depends on lies beside it, and frozen brings the same versions again', async () => {
    const faces = (version: string): Record<string, string> => ({
      'package.json': JSON.stringify({ name: 'dice-faces', version, license: 'MIT', type: 'module', main: 'index.js' }),
      'index.js': `export const faces = '${version}'`,
    })
    const files = diceFiles({ id: 'toolset-faces' }, { name: 'agent-plugin-faces', dependencies: { 'dice-faces': '^1.0.0' } })
    const code =
      "import { faces } from 'dice-faces'\nexport default { open: async () => ({ tools: { roll: async () => ({ ok: true, text: faces }) } }) }"
    await registry.publish(faces('1.0.0'))
    await registry.publish({ ...files, 'dist/toolset.dice.js': code })
    await install('install', 'agent-plugin-faces')
    const before = fingerprint(join(home.home, 'plugins'))
    await registry.publish(faces('1.1.0'))
    rmSync(join(home.home, 'plugins', 'store'), { recursive: true })
    expect(await agent('plugins', 'install', '--frozen')).toMatchObject({ code: 0 })
    expect(fingerprint(join(home.home, 'plugins'))).toBe(before)
    expect(await agent('plugins', 'verify')).toMatchObject({ code: 0 })
    await agent('plugins', 'enable', 'toolset-faces')
    expect((await agent('chat', '-z', 'call roll {}')).out).toMatch(/^1\.0\.0$/m)
  })

  test('a dependency that wants to run a script is refused', async () => {
    const scripts = { postinstall: `touch ${join(home.folder, 'evil')}` }
    await registry.publish({ 'package.json': JSON.stringify({ name: 'dice-evil', version: '1.0.0', license: 'MIT', scripts }) })
    await registry.publish(diceFiles({}, { name: 'agent-plugin-victim', dependencies: { 'dice-evil': '1.0.0' } }))
    const before = fingerprint(home.home)
    expect(await json('plugins', 'install', 'agent-plugin-victim')).toMatchObject({ error: { params: { reason: 'install-script' } } })
    expect(fingerprint(home.home)).toBe(before)
    expect(existsSync(join(home.folder, 'evil'))).toBe(false)
  })

  test('neither the settings of a package nor its dependencies lead npm anywhere else', async () => {
    let trapped = 0
    const trap = createServer((socket) => {
      trapped += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(trap, 'listening')
    try {
      const secret = join(home.folder, 'secret')
      mkdirSync(secret)
      writeFileSync(join(secret, 'package.json'), JSON.stringify({ name: 'secret', version: '1.0.0' }))
      await registry.publish({ 'package.json': JSON.stringify({ name: 'dice-plain', version: '1.0.0', license: 'MIT' }) })
      await registry.publish({
        'package.json': JSON.stringify({ name: 'dice-nested', version: '1.0.0', dependencies: { secret: `file:${secret}` } }),
      })
      const npmrc = `registry=http://127.0.0.1:${(trap.address() as AddressInfo).port}/\n//127.0.0.1/:_authToken=\${AGENT_HOME}\n`
      const pack = (dependencies: Record<string, string>): void => {
        const files = diceFiles({}, { name: 'agent-plugin-trap', dependencies, overrides: { 'dice-plain': `file:${secret}` } })
        writeFileSync(join(home.work, 'trap.tgz'), writePackage({ ...files, '.npmrc': npmrc }))
      }
      pack({ 'dice-nested': '1.0.0' })
      const before = fingerprint(home.home)
      expect(await json('plugins', 'install', 'file:trap.tgz')).toMatchObject({ error: { params: { reason: 'dependency-source' } } })
      expect(fingerprint(home.home)).toBe(before)
      pack({ 'dice-plain': '1.0.0' })
      await install('install', 'file:trap.tgz')
      expect(locked('toolset-dice').dependencies).toMatchObject({ 'node_modules/dice-plain': { version: '1.0.0' } })
      expect(trapped).toBe(0)
    } finally {
      trap.close()
    }
  })

  test('a scope is fetched from the registry that npm knows for it', async () => {
    await registry.publish(diceFiles({}, { name: '@team/agent-plugin-dice' }))
    writeFileSync(
      join(home.folder, '.npmrc'),
      registry.npmrc.replace('registry=', '@team:registry=').concat('registry=http://127.0.0.1:9/\n'),
    )
    await install('install', '@team/agent-plugin-dice')
    expect(locked('toolset-dice')).toMatchObject({ package: '@team/agent-plugin-dice', registry: registry.url.replace(/\/$/, '') })
    expect(await agent('plugins', 'install', 'agent-plugin-other')).toMatchObject({
      code: 1,
      note: expect.stringContaining('could not be fetched'),
    })
  })

  test('a name alone is the newest version that a catalog of config.yaml allows, and so is an update', async () => {
    const name = 'agent-plugin-pinned'
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) await registry.publish(diceFiles({ version }, { name }))
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const entries = [{ package: name, range: '^1.0.0' }]
    const body = Buffer.from(JSON.stringify({ format: 1, name: 'ACME', issued: '2026-11-29T08:00:00Z', entries }))
    const server = createHttpServer((request, response) => {
      response.end(request.url?.endsWith('.sig') ? sign(null, body, privateKey).toString('base64') : body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.json`
      const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
      home.write('config.yaml', `_config_version: 26\nplugins:\n  catalogs:\n    - url: ${url}\n      signed_by: ${key}\n`)
      await install('install', name)
      expect(locked('toolset-dice')).toMatchObject({ spec: name, version: '1.1.0' })
      expect((await agent('plugins', 'update')).out).toContain('toolset-dice 1.1.0 is installed already.')
      expect(await json('plugins', 'install', `${name}@2.0.0`)).toMatchObject({ error: { params: { reason: 'not-pinned' } } })
    } finally {
      server.close()
    }
  })

  test('a package that is not there, and a version that is not there', async () => {
    await registry.publish(diceFiles({}, { name: 'agent-plugin-there' }))
    const before = fingerprint(home.home)
    expect(await json('plugins', 'install', 'agent-plugin-nowhere')).toMatchObject({
      error: { code: 'PLUGIN_FETCH', params: { detail: 'the registry has no such package (agent-plugin-nowhere)' } },
    })
    expect(await json('plugins', 'install', 'agent-plugin-there@9')).toMatchObject({
      error: { code: 'PLUGIN_FETCH', params: { detail: 'the registry has no version of it that fits' } },
    })
    expect(fingerprint(home.home)).toBe(before)
  })
})

test('a plugin comes from a commit of a git repository, whose scripts do not run, and nothing that they would need is fetched', async () => {
  const bare = join(home.folder, 'dice.git')
  const work = join(home.folder, 'checkout')
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: work, encoding: 'utf8', timeout: 10_000, env: gitEnvironment() })
  mkdirSync(work)
  const scripts = { prepare: `touch ${join(home.folder, 'evil')}` }
  // What it is built with is not even looked for: no registry listens there.
  writeFileSync(join(home.folder, '.npmrc'), 'registry=http://127.0.0.1:9/\n')
  for (const [path, text] of Object.entries(diceFiles({}, { scripts, devDependencies: { 'dice-mill': '1.0.0' } }))) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
  }
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'Roll')
  const commit = git('rev-parse', 'HEAD').trim()
  git('clone', '-q', '--bare', work, bare)
  const spec = `git+file://${bare}#${commit}`
  await install('install', spec)
  expect(locked('toolset-dice')).toMatchObject({ spec, resolved: spec, registry: '' })
  rmSync(join(home.home, 'plugins', 'store'), { recursive: true })
  expect(await agent('plugins', 'install', '--frozen')).toMatchObject({ code: 0 })
  expect((await agent('plugins', 'update')).out).toContain('installed already')
  expect(existsSync(join(home.folder, 'evil'))).toBe(false)
  expect(await agent('plugins', 'install', `git+file://${bare}#${'0'.repeat(40)}`)).toMatchObject({ code: 1 })
}, 120_000)

const gitEnvironment = (): Record<string, string> => ({
  PATH: home.environment.PATH ?? '',
  HOME: home.folder,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
})

test('while a registry is silent, something is said, and an interrupt leaves nothing behind', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    writeFileSync(join(home.folder, '.npmrc'), `registry=http://127.0.0.1:${(silent.address() as AddressInfo).port}/\n`)
    const before = fingerprint(home.home)
    const running = startAgent(home, ['plugins', 'install', 'agent-plugin-dice'])
    await running.heard(/^Fetching agent-plugin-dice …$/m)
    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130, note: expect.stringMatching(/Interrupted\.\n$/) })
    expect(fingerprint(home.home)).toBe(before)
    expect(readStarted(home)).toEqual([])
  } finally {
    silent.close()
  }
})

const noTmux = missingTmux()
test('on a terminal Ctrl-C leaves nothing, and a yes installs', { ...needs(noTmux), timeout: 60_000 }, async () => {
  writeFileSync(join(home.work, 'dice.tgz'), writePackage(diceFiles()))
  const command = [process.execPath, join(root, 'host', 'bin', 'agent.mjs'), 'plugins', 'install', 'file:dice.tgz']
  const before = fingerprint(home.home)
  for (const key of ['C-c', 'C-d']) {
    await using terminal = openTerminal({ command, environment: home.environment, cwd: home.work })
    await terminal.shows(/Its tools:\n {2}roll \(touches nothing\)\n[\s\S]*Do you agree\? \[y\/N\]/)
    terminal.press(key)
    await terminal.ended()
    expect(fingerprint(home.home)).toBe(before)
  }
  await using terminal = openTerminal({ command, environment: home.environment, cwd: home.work })
  await terminal.shows(/Do you agree/)
  terminal.type('y')
  terminal.press('Enter')
  await terminal.shows(/toolset-dice 1\.0\.0 is installed\./)
  await terminal.ended()
})
