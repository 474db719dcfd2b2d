import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { setConfigValue, unsetConfigValue } from '#config/edit.ts'
import { openHome } from '#config/home/home.ts'
import { openPluginFolder, type PluginFolder, platformOf, toolsetOf } from '#kernel/testing/plugin-folder.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { quarantineIn } from '#store/quarantine.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from './plugins.ts'

let folder: PluginFolder
let environment: Record<string, string>

beforeEach(() => {
  folder = openPluginFolder()
  environment = { AGENT_HOME: folder.home }
  const env = [{ name: 'NOTE_TOKEN', secret: true, required: true, prompt: 'Token of the bot' }]
  const configSchema = { type: 'object', properties: { depth: { type: 'integer', default: 3 } }, additionalProperties: false }
  folder.add('bundled', { id: 'platform-note', version: '1.2.3', env, contributes: platformOf('note', { env: ['NOTE_TOKEN'] }) as never })
  folder.add('bundled', { id: 'toolset-tree', contributes: toolsetOf('tree', { configSchema }) as never })
  folder.add('local', { id: 'toolset-mine', contributes: toolsetOf('mine') as never, sparkle: true } as never)
})
afterEach(() => folder[Symbol.dispose]())

const run = (...words: string[]) =>
  runCommand((cli) => command({ ...cli, installRoot: join(folder.root, 'install') }), words, { environment })

const rows = async (...words: string[]) =>
  (JSON.parse((await run(...words, '--json')).out) as { plugins: Record<string, unknown>[] }).plugins

/** Runs what a fix tells a person to type. */
async function runFix(fix: unknown): Promise<void> {
  const [, area = '', verb = '', key = '', value = ''] = String(fix).split(' ')
  const target = { home: openHome({ environment }), processEnvironment: environment }
  if (area === 'plugins') expect((await run(verb, key)).code).toBe(0)
  else if (verb === 'set') setConfigValue(target, key, value.replace(/^'(.*)'$/, '$1'))
  else unsetConfigValue(target, key)
}

test('list shows every plugin with its state, the reason in words and its source', async () => {
  const { out, code } = await run('list')
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['PLUGIN', 'STATE', 'REASON', 'SOURCE'],
    ['platform-note', 'blocked', 'NOTE_TOKEN is not set', 'bundled'],
    ['toolset-tree', 'ready', 'bundled'],
    ['toolset-mine', 'blocked', 'it is not switched on', 'local'],
    [''],
  ])
})

test('list --json carries codes, texts and fixes', async () => {
  expect(await rows('list')).toMatchObject([
    { id: 'platform-note', version: '1.2.3', kinds: ['platform'], state: 'blocked', reason: 'env-missing', source: 'bundled' },
    { id: 'toolset-tree', kinds: ['toolset'], state: 'ready', reason: null, detail: null, fix: null },
    { id: 'toolset-mine', source: 'local', reason: 'not-enabled', fix: 'agent plugins enable toolset-mine' },
  ])
})

test('a variable in .env or in the environment makes a platform ready', async () => {
  environment.NOTE_TOKEN = 'x'
  expect(await rows('info', 'note')).toMatchObject([{ state: 'ready' }])
})

test('enable and disable write the one switch, by the bare name too, and tell what still stands in the way', async () => {
  expect((await run('enable', 'mine')).out).toMatch(/^toolset-mine is on \(plugins\.entries\.toolset-mine\.enabled in /)
  expect(readFileSync(join(folder.home, 'config.yaml'), 'utf8')).toContain('toolset-mine:\n      enabled: true')
  expect(await rows('info', 'toolset-mine')).toMatchObject([{ state: 'ready', isolation: expect.stringMatching(/^(process|bwrap)$/) }])
  expect(await rows('disable', 'mine')).toMatchObject([{ id: 'toolset-mine', state: 'blocked', reason: 'disabled' }])
  const { out } = await run('enable', 'note')
  expect(out).toContain('It does not run yet: NOTE_TOKEN is not set.\nTo change that: Put NOTE_TOKEN=… into ')
})

test.each([
  ['plugins:\n  entries: { toolset-tree: { enabled: false } }', 'disabled'],
  ['plugins:\n  deny: [toolset-tree, other]', 'denied'],
  ['plugins:\n  entries: { toolset-tree: { config: { depth: deep } } }', 'config-invalid'],
  ['plugins:\n  entries: { toolset-tree: { config: { dept: 3 } } }', 'config-invalid'],
  ['plugins:\n  entries: { toolset-tree: { enabled: 7 } }', 'config-invalid'],
])('%s: the printed fix helps', async (yaml, code) => {
  writeFileSync(join(folder.home, 'config.yaml'), `_config_version: 26\n${yaml}\n`)
  const [row] = await rows('why', 'tree')
  expect(row).toMatchObject({ state: 'blocked', reason: code })
  await runFix(row?.fix)
  expect(await rows('why', 'tree')).toMatchObject([{ state: 'ready', reason: null }])
})

test('a quarantine is shown and lifted by enable', async () => {
  await run('enable', 'mine')
  const cli = { environment, profile: undefined, note: () => undefined }
  await withStore(cli, (store) => quarantineIn(store.kv).set('toolset-mine', { since: 1, faults: 5, detail: 'it did not answer for 10 s' }))
  const [row] = await rows('why', 'mine')
  expect(row).toMatchObject({ state: 'blocked', reason: 'quarantined', fix: 'agent plugins enable toolset-mine' })
  await runFix(row?.fix)
  expect(await rows('why', 'mine')).toMatchObject([{ state: 'ready', reason: null }])
})

test('why prints the chain from the folder to the way out', async () => {
  const { out } = await run('why', 'platform:note')
  expect(out).toContain('platform:note of platform-note\n  found in ')
  expect(out).toContain('  platform:note: blocked (env-missing): NOTE_TOKEN is not set\nTo change that: Put NOTE_TOKEN=… into ')
  expect((await run('why', 'tree')).out).toContain(
    '  toolset:tree: ready\n  its code is loaded when it is first used, in the process of agent',
  )
})

test('info shows what a plugin brings and reads', async () => {
  const { out } = await run('info', 'note')
  expect(out).toContain('platform-note 1.2.3')
  expect(out).toMatch(/NOTE_TOKEN +Token of the bot \(required\)/)
})

test('a name that fits several plugins and one that fits none are told apart', async () => {
  folder.add('bundled', { id: 'platform-tree', contributes: platformOf('tree') as never })
  const ambiguous = await run('why', 'tree')
  expect(ambiguous).toMatchObject({
    code: 1,
    error: 'PLUGIN_AMBIGUOUS',
    note: 'agent: "tree" fits several plugins: platform-tree, toolset-tree.\n',
  })
  expect((await run('why', 'toolset:tree')).code).toBe(0)
  expect((await run('enable', 'toolset-tre')).note).toContain('Did you mean "toolset-tree"?')
  expect(await run('info', 'nothing-like-it')).toMatchObject({
    error: 'PLUGIN_NOT_FOUND',
    note: 'agent: There is no plugin "nothing-like-it". agent plugins list shows them.\n',
  })
  expect((await run('info')).code).toBe(2)
})

test('doctor is content with plugins that nobody wanted, and names what is wrong', async () => {
  expect(await run('doctor')).toMatchObject({ code: 0, out: expect.stringContaining('3 plugins, 1 ready; 1 to look at.') })
  folder.write(join(folder.local, 'toolset-broken', 'agent.plugin.json'), '{')
  writeFileSync(join(folder.home, 'config.yaml'), '_config_version: 26\nplugins:\n  entries: { toolset-tre: { enabled: true } }\n')
  const { out, code } = await run('doctor')
  expect(code).toBe(1)
  expect(out).toContain('error: toolset-broken: its manifest is wrong: it is not valid JSON')
  expect(out).toContain('warning: toolset-mine: the manifest has an unknown field "sparkle".')
  expect(out).toContain('plugins.entries.toolset-tre names a plugin that is not installed (did you mean toolset-tree?)')
  expect(JSON.parse((await run('doctor', '--json')).out)).toMatchObject({
    findings: [{ plugin: 'toolset-broken', level: 'error' }, {}, {}],
  })
})

test('none of the commands imports plugin code', async () => {
  for (const entry of ['toolset.js', 'platform.js']) {
    for (const name of ['platform-note', 'toolset-tree']) {
      folder.write(
        join(folder.bundled, 'x', name, 'dist', entry),
        'globalThis.pluginCodeRan = true\nexport default { open() {}, connect() {} }',
      )
    }
  }
  environment.NOTE_TOKEN = 'x'
  for (const words of [['list'], ['info', 'tree'], ['why', 'note'], ['enable', 'tree'], ['disable', 'tree'], ['doctor']])
    await run(...words)
  expect(globalThis).not.toHaveProperty('pluginCodeRan')
})
