// @module-tag process
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openTemporaryCheckout } from '../../test/repo/temporary-checkout.ts'

const run = 'host/install/run.mjs'
const repository = fileURLToPath(new URL('../..', import.meta.url))

test('start builds what is missing, leaves no bundler beside the gateway, which runs in its process, and passes arguments and exit code on', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.markInstalled('build')
  const { code, out } = await checkout.run(run, ['start', '--port', '1'])
  expect(JSON.parse(out)).toEqual({
    argv: ['gateway', 'run', '--from-start', '--dashboard', '--port', '1'],
    answer: 3,
    installRoot: checkout.root,
    children: 0,
  })
  expect(code).toBe(3)
  expect(readdirSync(join(checkout.root, 'plugin-sdk/dist'))).toContain('index.js')
})

test('a build is repeated when a source or an output changed, and not for a test, a time or an unrelated file', async () => {
  await using checkout = await openTemporaryCheckout()
  const bundle = join(checkout.root, 'host/dist/main.cjs')
  const build = async (): Promise<number> => {
    const { code, errors } = await checkout.run(run, ['build'])
    expect(errors).toBe('')
    expect(code).toBe(0)
    return statSync(bundle).ino
  }
  const first = await build()
  await checkout.write({ 'host/src/kernel/answer.test.ts': 'broken(', 'README.md': 'x' })
  utimesSync(join(checkout.root, 'host/src/kernel/answer.ts'), new Date(0), new Date(0))
  expect(await build()).toBe(first)
  await checkout.write({ 'host/src/kernel/answer.ts': 'export const answer: number = 4\n' })
  expect(await build()).not.toBe(first)
  expect(readFileSync(bundle, 'utf8')).toContain('4')
  rmSync(bundle)
  await build()
  expect(readFileSync(bundle, 'utf8')).toContain('4')
})

test('a build keeps the compiled code of the host for the next start', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.run(run, ['build'])
  const kept = (): readonly string[] => readdirSync(join(checkout.root, 'host/dist')).filter((name) => name.includes('compiled'))
  expect(kept()).toEqual([`main.cjs.${process.version}-${process.arch}.compiled`])
  await checkout.write({ 'host/src/kernel/answer.ts': 'export const answer: number = 4\n' })
  await checkout.run(run, ['build'])
  expect(kept()).toHaveLength(1)
  expect((await checkout.run('host/bin/agent.mjs', ['chat'])).out).toContain('"answer":4')
})

test('a part that does not build is named, and the old build of it is not taken for fresh', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.run(run, ['build'])
  await checkout.write({ 'host/src/kernel/answer.ts': 'export const answer = \n' })
  for (const _ of [1, 2]) {
    const { code, errors } = await checkout.run(run, ['build'])
    expect(code).toBe(1)
    expect(errors).toContain('Building the host failed')
    expect(errors).toContain('answer.ts:2')
  }
})

test('a lock of a process that is gone is taken over', async () => {
  await using checkout = await openTemporaryCheckout()
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  await checkout.write({ '.lock': String(pid) })
  expect((await checkout.run(run, ['build'])).code).toBe(0)
  expect(readdirSync(checkout.root).filter((name) => name.startsWith('.lock'))).toEqual([])
})

test('a second run says that it waits for the first, and goes on when that is done', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.write({ '.lock': String(process.pid) })
  const release = (errors: string): void => {
    if (errors.includes(`process ${process.pid}`)) rmSync(join(checkout.root, '.lock'), { force: true })
  }
  expect((await checkout.run(run, ['build'], {}, release)).code).toBe(0)
  expect(readdirSync(join(checkout.root, 'host/dist'))).toContain('main.cjs')
})

test('without a registry the install says so in one sentence', async () => {
  await using checkout = await openTemporaryCheckout()
  const dependencies = { 'left-pad': '1.3.0' }
  const locked = {
    'node_modules/left-pad': { version: '1.3.0', resolved: 'http://127.0.0.1:1/left-pad.tgz', integrity: 'sha512-AAAA' },
    '': { name: 'agent', version: '7.8.9', dependencies },
  }
  await checkout.write({
    'package.json': JSON.stringify({ name: 'agent', version: '7.8.9', workspaces: [], dependencies }),
    'package-lock.json': JSON.stringify({ name: 'agent', version: '7.8.9', lockfileVersion: 3, packages: locked }),
  })
  const offline = {
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    npm_config_cache: join(checkout.root, 'npm-cache'),
  }
  const { code, errors } = await checkout.run(run, ['start'], offline)
  expect(errors).toContain('The package registry could not be reached')
  expect(errors).not.toContain('    at ')
  expect(code).toBe(1)
})

test('a lockfile that does not fit is named before anything is removed', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.write({
    'package.json': JSON.stringify({ name: 'agent', version: '7.8.9', workspaces: [], dependencies: { 'left-pad': '1.3.0' } }),
  })
  const { code, errors } = await checkout.run(run, ['start'])
  expect(errors).toContain('package-lock.json does not fit')
  expect(code).toBe(1)
  expect(readdirSync(join(checkout.root, 'node_modules'))).toContain('esbuild')
})

test('what only building needs goes when everything is built, and comes back for the next build', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.write(linkedPackages(checkout.root))
  const installed = (): readonly string[] => readdirSync(join(checkout.root, 'node_modules')).filter((name) => name.startsWith('for-'))
  const start = async (): Promise<string> => (await checkout.run(run, ['start'], { npm_config_registry: 'http://127.0.0.1:1/' })).errors
  expect(await start()).toContain('Installing the packages …')
  expect(installed()).toEqual(['for-running'])
  expect(await start()).toBe('')
  await checkout.write({ 'host/src/kernel/answer.ts': "import 'for-building'\nexport const answer: number = 4\n" })
  expect(await start()).toContain('Installing the packages …')
  expect(installed()).toEqual(['for-running'])
  expect((await checkout.run('host/bin/agent.mjs', ['chat'])).out).toContain('"answer":4')
})

/** Packages of folders, so that no registry is asked: one of the root, one that only the host names. */
function linkedPackages(root: string): Readonly<Record<string, string>> {
  const own = ['esbuild', 'yaml'].map((name) => [name, join(repository, 'node_modules', name)] as const)
  // The installer writes into this package: it must be no other than that of this checkout.
  const made = ['better-sqlite3', 'for-running', 'for-building'].map((name) => [name, join(root, 'made', name)] as const)
  const linked = [...own, ...made].map(([name, folder]) => [name, relative(root, folder)] as const)
  const dependenciesOf = (out: string): Readonly<Record<string, string>> =>
    Object.fromEntries(linked.filter(([name]) => name !== out).map(([name, folder]) => [name, `file:${folder}`]))
  const main = { name: 'agent', version: '7.8.9', workspaces: ['host'], dependencies: dependenciesOf('for-building') }
  const host = {
    name: '@agent/host',
    version: '1.0.0',
    type: 'module',
    imports: { '#*': './src/*' },
    dependencies: { 'for-building': `file:../made/for-building` },
  }
  const packages = {
    '': main,
    host,
    'node_modules/@agent/host': { resolved: 'host', link: true },
    ...Object.fromEntries(
      linked.flatMap(([name, folder]) => [
        [folder, {}],
        [`node_modules/${name}`, { resolved: folder, link: true }],
      ]),
    ),
  }
  return {
    'package.json': JSON.stringify({ ...main, type: 'module', private: true }),
    'host/package.json': JSON.stringify(host),
    'package-lock.json': JSON.stringify({ name: 'agent', version: '7.8.9', lockfileVersion: 3, requires: true, packages }),
    ...Object.fromEntries(
      made.map(([name]) => [`made/${name}/package.json`, JSON.stringify({ name, version: versionOf(name), main: 'index.js' })]),
    ),
    'made/for-building/index.js': '',
  }
}

function versionOf(name: string): string {
  if (name.startsWith('for-')) return '1.0.0'
  return JSON.parse(readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8')).version
}

test('development packages that are there do not make a start install again, missing ones make a test do it', async () => {
  await using checkout = await openTemporaryCheckout()
  await checkout.markInstalled('develop')
  expect((await checkout.run(run, ['start'])).errors).not.toContain('Installing')
  await checkout.markInstalled('build')
  expect((await checkout.run(run, ['test'])).errors).toContain('Installing the packages, with those for development')
})

test('a native module that can neither be downloaded nor compiled names what is missing', async () => {
  await using checkout = await openTemporaryCheckout()
  const tools = join(checkout.root, 'tools')
  mkdirSync(tools)
  symlinkSync(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()), join(tools, 'npm'))
  const { code, errors } = await checkout.run(run, ['native'], {
    AGENT_NATIVE_CACHE: join(checkout.root, 'empty'),
    PATH: tools,
    npm_config_better_sqlite3_binary_host: 'http://127.0.0.1:1',
  })
  expect(errors).toContain('apt-get install -y python3 make g++')
  expect(errors).toContain('The last lines of the build:')
  expect(code).toBe(1)
  expect(readdirSync(join(checkout.root, 'node_modules')).filter((name) => name.startsWith('.native'))).toEqual([])
})

test('an old Node is refused before anything is loaded', async () => {
  await using checkout = await openTemporaryCheckout()
  const old = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.1'}})`
  const { code, errors } = await checkout.run(run, ['build'], { NODE_OPTIONS: `--import ${old.replaceAll(' ', '%20')}` })
  expect(errors).toBe('Node.js 18.20.1 is too old: install Node.js 20.19 or newer, then run the command again.\n')
  expect(code).toBe(1)
})

test('an unknown command lists the known ones', async () => {
  await using checkout = await openTemporaryCheckout()
  expect(await checkout.run(run, ['strat'])).toMatchObject({ code: 1, errors: expect.stringContaining('start | test') })
})
