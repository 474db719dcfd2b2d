// @module-tag process
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import { openControl } from '#gateway/control/open-control.ts'
import { controlPath } from '#gateway/instance/control-path.ts'
import { openInstance } from '#gateway/instance/instance.ts'
import { systemClock } from '#kernel/clock.ts'
import { commandsOf, openPluginFolder, type PluginFolder, platformOf, toolsetOf } from '#kernel/testing/plugin-folder.ts'
import { silentLog } from '#observe/silent-log.ts'
import { runCommand } from '../../../../../test/support/test-cli.ts'
import { command } from '../../commands/plugins.ts'

let folder: PluginFolder
beforeEach(() => {
  folder = openPluginFolder()
})
afterEach(() => folder[Symbol.dispose]())

const run = (words: readonly string[], more: { readonly signal?: AbortSignal; readonly onLine?: (line: string) => void } = {}) =>
  runCommand((cli) => command({ ...cli, installRoot: join(folder.root, 'install') }), words, {
    environment: { AGENT_HOME: folder.home },
    ...more,
  })
const json = async (...words: string[]): Promise<Record<string, unknown>> => JSON.parse((await run([...words, '--json'])).out)
const logFile = (): string => join(folder.home, 'logs', 'gateway.log')
const line = (pid: number, time: number, msg: string, fields: object = {}): string =>
  `${JSON.stringify({ level: 'info', time, pid, name: 'gateway', fields, msg })}\n`
const activated = (pid: number, time: number, plugin: string, ms: number): string =>
  line(pid, time, `${plugin} is active`, { plugin, activated: `toolset:${plugin}`, ms, isolated: plugin === 'b' })

test('trace shows the activations of the gateway that ran last, in the order in which they began', async () => {
  expect((await run(['trace'])).out).toBe('No gateway has loaded a plugin yet, as far as its log goes back.\n')
  const lines = [
    activated(1, 50, 'old', 9),
    activated(2, 1040, 'a', 30),
    '{"half',
    activated(2, 1050, 'b', 50),
    line(2, 1060, 'x', { ms: 'no' }),
  ]
  folder.write(logFile(), lines.join('\n').replaceAll('\n\n', '\n'))
  expect((await json('trace')).activations).toEqual([
    { plugin: 'b', part: 'toolset:b', at: 0, ms: 50, isolated: true },
    { plugin: 'a', part: 'toolset:a', at: 10, ms: 30, isolated: false },
  ])
  expect((await run(['trace'])).out).toMatch(/^toolset:b +b +own process +0 ms +50 ms +█{30}$/m)
})

test('logs shows the lines about one plugin, and goes on showing them', async () => {
  folder.add('local', { id: 'platform-note', contributes: platformOf('note') as never })
  const others = [line(1, 1, 'not ours'), line(1, 2, 'x', { plugin: 'platform-other' }), 'rubbish\n']
  const own = [
    line(1, 3, 'platform-note failed: a', { reason: 'activate-error' }),
    line(1, 4, 'connected', { platform: 'note' }),
    line(1, 5, 'a child ended', { plugin: 'platform-other, platform-note' }),
  ]
  folder.write(logFile(), [...others, ...own].join(''))
  expect((await run(['logs', 'note', '--json'])).out).toBe(own.join(''))
  expect((await run(['logs', 'note', '-n', '1', '--json'])).out).toBe(own[2])
  expect((await run(['logs', 'note', '-n', 'all'])).code).toBe(2)
  const stop = new AbortController()
  const onLine = (text: string): void => {
    if (text.includes('news')) stop.abort(fail('INTERRUPTED'))
    else appendFileSync(logFile(), line(1, 6, 'elsewhere') + line(1, 7, 'news', { plugin: 'platform-note' }))
  }
  const { out, code } = await run(['logs', 'platform-note', '-f', '-n', '1'], { signal: stop.signal, onLine })
  expect(code).toBe(0)
  expect(out).toContain('news')
  expect(out).not.toContain('elsewhere')
})

test('without a log there is nothing to show, and it is said who would write it', async () => {
  folder.add('local', { id: 'platform-note', contributes: platformOf('note') as never })
  expect(await run(['logs', 'note'])).toMatchObject({ code: 0, out: '', note: expect.stringContaining('agent gateway would write it') })
})

test('bench loads what may run, in new processes, and tells what cannot be loaded', async () => {
  for (const id of ['good', 'broken', 'wild']) folder.add('bundled', { id: `toolset-${id}`, contributes: toolsetOf(id) as never })
  folder.add('local', { id: 'toolset-off', contributes: toolsetOf('off') as never })
  folder.add('bundled', { id: 'toolset-empty', contributes: {} })
  const write = (id: string, text: string): void => folder.write(join(folder.bundled, 'x', id, 'dist', 'toolset.js'), text)
  for (const id of ['good', 'broken', 'wild'])
    folder.write(join(folder.bundled, 'x', `toolset-${id}`, 'package.json'), '{ "type": "module" }')
  write('toolset-good', "export default { open() {} }; console.log('chatter')")
  write('toolset-broken', "throw new Error('no')")
  write('toolset-wild', 'process.exit(7)')
  const ran = await run(['bench', '--n', '2', '--json'])
  expect(ran.code).toBe(1)
  expect(JSON.parse(ran.out).bench).toEqual([
    { plugin: 'toolset-broken', runs: 2, ms: null, mib: null, problem: 'its process ended with code 1' },
    { plugin: 'toolset-good', runs: 2, ms: expect.any(Number), mib: expect.any(Number), problem: null },
    { plugin: 'toolset-wild', runs: 2, ms: null, mib: null, problem: 'its process ended with code 7' },
  ])
  expect(await run(['bench', 'good', '--n', '1'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^toolset-good +[\d.]+ ms +[\d.]+ MiB +1$/m),
  })
  expect((await run(['bench', 'off'])).error).toBe('PLUGIN_BLOCKED')
  expect((await run(['bench', '--n', 'x'])).code).toBe(2)
})

test('bench keeps the code of others to its own folder', async () => {
  const root = folder.add('local', { id: 'toolset-nosy', contributes: toolsetOf('nosy') as never })
  folder.write(join(root, 'package.json'), '{ "type": "module" }')
  folder.write(join(root, 'dist', 'toolset.js'), "import { readFileSync } from 'node:fs'\nreadFileSync('/etc/passwd')")
  await run(['enable', 'nosy'])
  expect(await json('bench', 'nosy', '--n', '1')).toMatchObject({ bench: [{ problem: 'its process ended with code 1' }] })
})

test('doctor --deep finds files that a start does not look at', async () => {
  const root = folder.install({ id: 'toolset-dice', contributes: toolsetOf('dice') as never })
  folder.write(join(root, 'extra.txt'), 'new')
  expect((await run(['doctor'])).code).toBe(0)
  const deep = await run(['doctor', '--deep'])
  expect(deep.code).toBe(1)
  expect(deep.out).toContain('error: toolset-dice: extra.txt was added.\n  agent plugins install --frozen')
})

test('doctor --fix moves leftovers aside and touches neither settings nor what is installed', async () => {
  const config = 'plugins:\n  entries: { toolset-gone: { enabled: true } }\n'
  writeFileSync(join(folder.home, 'config.yaml'), config)
  const root = folder.install({ id: 'toolset-dice', contributes: toolsetOf('dice') as never })
  const plugins = join(folder.home, 'plugins')
  folder.write(join(plugins, 'store', 'toolset-gone', '1.0.0-aaaaaaaa', 'a.js'), 'kept')
  folder.write(join(root, '..', '0.9.0-bbbbbbbb', 'a.js'), '')
  mkdirSync(join(plugins, '.staging'))
  const seen = await json('doctor')
  expect(seen).toMatchObject({ aside: null })
  expect((seen.findings as { plugin: string }[]).map(({ plugin }) => plugin)).toEqual(
    expect.arrayContaining(['.staging', 'toolset-gone', '0.9.0-bbbbbbbb']),
  )
  const { aside, findings } = (await json('doctor', '--fix')) as { aside: string; findings: { text: string }[] }
  expect(findings.map(({ text }) => text)).toEqual([expect.stringMatching(/^plugins\.entries\.toolset-gone names/)])
  expect(readFileSync(join(aside, 'store', 'toolset-gone', '1.0.0-aaaaaaaa', 'a.js'), 'utf8')).toBe('kept')
  expect(existsSync(join(plugins, '.staging'))).toBe(false)
  expect(readdirSync(join(root, '..')).sort()).toEqual([basename(root), `${basename(root)}.sha256`])
  expect(readFileSync(join(folder.home, 'config.yaml'), 'utf8')).toBe(config)
  expect(await json('info', 'dice')).toMatchObject({ plugins: [{ id: 'toolset-dice', reason: 'not-enabled' }] })
})

test('doctor names settings that nobody reads, and a configuration that cannot be read', async () => {
  const config = join(folder.home, 'config.yaml')
  writeFileSync(config, 'plugins: { entries: { toolset-x: { enabld: true } } }\nplatforms: { nowhere: { fun: 1 } }\n')
  expect(await json('doctor')).toMatchObject({
    findings: expect.arrayContaining([
      expect.objectContaining({ plugin: 'toolset-x', text: expect.stringContaining('plugins.entries.toolset-x.enabld ') }),
      expect.objectContaining({ plugin: 'nowhere', fix: 'agent config unset platforms.nowhere.fun' }),
    ]),
  })
  writeFileSync(config, 'plugins: {\n')
  const { out, code } = await run(['doctor', '--fix', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ plugins: [], findings: [{ level: 'error', text: expect.stringContaining('config.yaml:1') }] })
  expect((await run(['doctor'])).note).toContain('is not valid YAML')
  expect(readFileSync(config, 'utf8')).toBe('plugins: {\n')
})

test('doctor leaves alone what a running command works with, and what belongs to a lock that cannot be read', async () => {
  const plugins = join(folder.home, 'plugins')
  mkdirSync(join(plugins, '.staging'), { recursive: true })
  writeFileSync(join(plugins, '.writer'), '{}')
  expect(await json('doctor', '--fix')).toMatchObject({ aside: null, findings: [] })
  folder.write(join(plugins, '.writer'), '{}')
  folder.write(join(plugins, 'plugins.lock.json'), '{')
  expect(await json('doctor', '--fix')).toMatchObject({ aside: null, findings: [{ level: 'error' }] })
  expect(existsSync(join(plugins, '.staging'))).toBe(true)
})

test('why explains tools, commands and hooks', async () => {
  folder.add('bundled', { id: 'toolset-tree', contributes: toolsetOf('tree') as never })
  expect((await run(['why', 'tool:tree'])).out).toMatch(/^tool:tree is in toolset:tree\ntoolset:tree of toolset-tree\n/)
  expect(await json('why', 'tool:tree')).toMatchObject({ plugins: [{ id: 'toolset-tree' }] })
  expect((await run(['why', 'tool:tre'])).note).toContain('agent plugins why tool:tree')
  folder.add('bundled', { id: 'commands-dice', ...commandsOf('dice', { name: 'roll', aliases: ['new'] }) })
  const why = (await run(['why', 'command:/roll'])).out
  expect(why).toMatch(/^command:roll is in commands:dice\ncommands:dice of commands-dice\n/)
  expect(why).toContain('blocked (command-taken): /new is a command of agent already')
  expect(await json('why', 'hook:tool.before')).toEqual({ hook: 'tool.before', class: 'gate', plugins: [] })
  expect((await run(['why', 'hook:turn.before'])).out).toContain('it may change what is handed to it')
  expect(await run(['why', 'hook:toString'])).toMatchObject({ code: 2, error: 'USAGE' })
})

test('list, info and why tell how the plugin is in the gateway that runs', async () => {
  folder.add('bundled', { id: 'toolset-tree', contributes: toolsetOf('tree') as never })
  const home = homeOf(folder.home, 'default')
  const instance = openInstance(home, 'boot_1', systemClock)
  const child = { pid: 77, memoryBytes: 50 * 1024 * 1024, memoryLimitBytes: 256 * 1024 * 1024 }
  const row = { id: 'toolset-tree', state: 'failed', detail: 'it fell over', child, faults: 2, lastFault: 'it fell over' }
  // A gateway that does not answer is no reason to say nothing.
  expect((await run(['info', 'tree'])).code).toBe(0)
  const control = await openControl({
    path: controlPath(home.path),
    methods: { 'plugins.list': async () => ({ plugins: [row] }) },
    log: silentLog,
  })
  try {
    expect((await run(['list'])).out).toMatch(/^toolset-tree +ready +failed +50 MiB +bundled$/m)
    expect(await json('list')).toMatchObject({ plugins: [{ id: 'toolset-tree', live: { state: 'failed', faults: 2 } }] })
    for (const word of ['info', 'why']) {
      expect((await run([word, 'tree'])).out).toContain(
        '  in the gateway: failed: it fell over\n  its process: 77, 50 of 256 MiB\n  faults: 2 in ten minutes, at last because it fell over\n',
      )
    }
  } finally {
    await control.close()
    await instance.close()
  }
})

test('list keeps what manifests said for the next command, where there is a home, and does without it', async () => {
  const installRoot = join(import.meta.dirname, '../../../../..')
  const list = async (home = folder.home): Promise<readonly string[]> => {
    const { out } = await runCommand((cli) => command({ ...cli, installRoot }), ['list', '--json'], { environment: { AGENT_HOME: home } })
    return (JSON.parse(out) as { readonly plugins: readonly { readonly name: string }[] }).plugins.map(({ name }) => name)
  }
  const names = await list()
  const stored = join(folder.home, 'cache', 'manifests.json')
  writeFileSync(stored, readFileSync(stored, 'utf8').replaceAll(`"name":"${names[0]}"`, '"name":"As stored"'))
  expect(await list()).toEqual(['As stored', ...names.slice(1)])
  rmSync(stored)
  mkdirSync(stored)
  expect(await list()).toEqual(names)
  const none = join(folder.home, 'none')
  expect([await list(none), existsSync(none)]).toEqual([names, false])
})
