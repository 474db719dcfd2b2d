// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { wishFor } from '#gateway/links/paused-platforms.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { quarantineIn } from '#store/quarantine.ts'
import { diceFiles, editLock, type InstallStage, openInstallStage } from '../../../../../test/support/install-stage.ts'
import { besideProgress } from '../../../../../test/support/run-agent.ts'
import { runCommand } from '../../../../../test/support/test-cli.ts'
import { command } from '../../commands/plugins.ts'

let stage: InstallStage
beforeEach(() => {
  stage = openInstallStage()
})
afterEach(() => stage[Symbol.dispose]())

const dice = (more: Record<string, unknown> = {}): string => stage.pack('dice', diceFiles(more))
const plugins = (...words: string[]): string => join(stage.home, 'plugins', ...words)
const lockFile = (): string => readFileSync(plugins('plugins.lock.json'), 'utf8')
const entry = (): Record<string, unknown> & { readonly version: string } => JSON.parse(lockFile()).plugins['toolset-dice']
const store = (): readonly string[] => readdirSync(plugins('store', 'toolset-dice')).sort()
const row = async (): Promise<unknown> =>
  ((await stage.json('list')) as unknown as { plugins: { id: string }[] }).plugins.find(({ id }) => id === 'toolset-dice')
const folderOf = (version: string): string =>
  plugins('store', 'toolset-dice', store().find((name) => name.startsWith(version) && !name.endsWith('.sha256')) ?? '')

test('without consent nothing is installed; with it the plugin is in the store, in the lock, and off', async () => {
  const refused = await stage.run(['install', dice()])
  expect(refused).toMatchObject({ code: 1, error: 'PLUGIN_CONSENT', out: '' })
  expect(refused.note).toContain('Its tools:\n  roll (touches nothing)\n')
  expect(readdirSync(stage.home)).toEqual([])
  const hash = await stage.hashOf('install', dice())
  expect(refused.note).toContain(`--accept ${hash}`)
  expect((await stage.run(['install', dice(), '--accept', '0'.repeat(64)])).error).toBe('PLUGIN_CONSENT')
  const done = await stage.run(['install', dice(), '--accept', hash])
  expect([done.code, besideProgress(done.note)]).toEqual([0, ''])
  expect(done.out).toBe('toolset-dice 1.0.0 is installed.\ntoolset-dice is off. To switch it on: agent plugins enable toolset-dice\n')
  expect(entry()).toMatchObject({ package: 'agent-plugin-dice', surfaceHash: hash, consent: { hash }, previous: null })
  expect(store()).toEqual([expect.stringMatching(/^1\.0\.0-[0-9a-f]{8}$/), expect.stringMatching(/\.sha256$/)])
  expect(await row()).toMatchObject({ source: 'installed', reason: 'not-enabled' })
  expect(readdirSync(plugins()).sort()).toEqual(['plugins.lock.json', 'store'])
})

test('installing the same again changes nothing', async () => {
  await stage.install(dice())
  const before = stage.fingerprint()
  expect((await stage.run(['install', dice()])).out).toContain('toolset-dice 1.0.0 is installed already.')
  expect(stage.fingerprint()).toBe(before)
})

test.each([
  ['y\n', 0, undefined],
  ['n\n', 1, 'PLUGIN_DECLINED'],
  ['', 1, 'PLUGIN_DECLINED'],
])('on a terminal somebody is asked and says %j', async (answer, code, error) => {
  const input = new PassThrough()
  input.end(answer)
  const ran = await runCommand(
    (cli) => command({ ...cli, terminal: true, input, installRoot: join(stage.folder, 'install'), cwd: stage.folder }),
    ['install', dice()],
    { environment: stage.environment },
  )
  expect(ran).toMatchObject({ code, error })
  expect(existsSync(plugins('plugins.lock.json'))).toBe(code === 0)
})

test('an interrupt while somebody is asked puts everything back', async () => {
  const stop = new AbortController()
  const spec = dice()
  const before = stage.fingerprint()
  const asked = runCommand(
    (cli) =>
      command({
        ...cli,
        terminal: true,
        input: new PassThrough(),
        note: () => stop.abort(fail('INTERRUPTED')),
        installRoot: join(stage.folder, 'install'),
        cwd: stage.folder,
      }),
    ['install', spec],
    { environment: stage.environment, signal: stop.signal },
  )
  expect(await asked).toMatchObject({ error: 'INTERRUPTED' })
  expect(stage.fingerprint()).toBe(before)
})

test('a wider update asks again, another one does not; rolling back returns', async () => {
  await stage.install(dice())
  const first = entry()
  await stage.run(['enable', 'toolset-dice'])
  dice({ version: '1.1.0', tools: ['roll', 'flip'] })
  const before = stage.fingerprint()
  const refused = await stage.run(['update', 'toolset-dice'])
  expect(refused).toMatchObject({ code: 1, error: 'PLUGIN_CONSENT' })
  expect(refused.note).toContain('toolset-dice 1.0.0 → 1.1.0')
  expect(refused.note).toContain('New since you agreed:\n  tool flip (touches nothing)\n')
  expect(stage.fingerprint()).toBe(before)
  const { code, out } = await stage.run(['update', '--accept', await stage.hashOf('update', 'toolset-dice')])
  expect({ code, out }).toEqual({ code: 0, out: 'toolset-dice 1.1.0 is installed; it was 1.0.0.\n' })
  const agreed = entry().consent as { readonly at: string }
  expect(await row()).toMatchObject({ version: '1.1.0', state: 'ready' })

  dice({ version: '1.2.0' })
  expect((await stage.run(['update'])).code).toBe(0)
  expect(entry()).toMatchObject({ version: '1.2.0', consent: { hash: first.surfaceHash, at: agreed.at }, previous: { version: '1.1.0' } })
  expect(store().map((name) => name.slice(0, 5))).toEqual(['1.1.0', '1.1.0', '1.2.0', '1.2.0'])

  expect((await stage.run(['rollback', 'toolset-dice'])).out).toContain('toolset-dice 1.1.0 is installed; it was 1.2.0.')
  expect(await row()).toMatchObject({ version: '1.1.0', state: 'ready' })
  expect((await stage.run(['rollback', 'dice'])).out).toContain('1.2.0')
})

test('there is nothing to roll back to after the first installation, nor when the version before was changed', async () => {
  await stage.install(dice())
  expect((await stage.json('rollback', 'toolset-dice')).error?.params.reason).toBe('no-previous')
  dice({ version: '1.1.0' })
  await stage.run(['update'])
  appendFileSync(join(folderOf('1.0.0'), 'dist', 'toolset.dice.js'), '// more')
  const before = stage.fingerprint()
  expect((await stage.json('rollback', 'toolset-dice')).error?.params.reason).toBe('files-mismatch')
  expect(stage.fingerprint()).toBe(before)
})

test('an entry of the lock that was widened by hand is no consent', async () => {
  await stage.install(dice())
  dice({ version: '1.1.0', tools: ['roll', 'flip'] })
  editLock(stage.home, (one) => ({
    ...one,
    surface: {
      contributions: ['toolsets:dice'],
      tools: [
        { name: 'roll', effect: 'none' },
        { name: 'flip', effect: 'none' },
      ],
      permissions: {},
      env: [],
    },
  }))
  expect((await stage.run(['update'])).error).toBe('PLUGIN_CONSENT')
})

test('removing leaves nothing but other settings and their comments', async () => {
  const config = '# mine\n_config_version: 26\nmodel:\n  provider: offline # for now\n'
  writeFileSync(join(stage.home, 'config.yaml'), config)
  const before = stage.fingerprint()
  await stage.install(dice())
  await stage.run(['enable', 'toolset-dice'])
  rmSync(join(stage.folder, 'dice.tgz'))
  mkdirSync(plugins('data', 'toolset-dice'), { recursive: true })
  const data = plugins('data', 'toolset-dice')
  expect((await stage.run(['remove', 'toolset-dice', '--data'])).out).toBe(`toolset-dice is removed, and with it ${data}.\n`)
  expect(readFileSync(join(stage.home, 'config.yaml'), 'utf8')).toBe(config)
  expect(stage.fingerprint()).toBe(before)
})

test('removing keeps the data unless it is told otherwise, and takes no plugin that was not installed', async () => {
  await stage.install(dice())
  mkdirSync(plugins('data', 'toolset-dice'), { recursive: true })
  expect((await stage.json('remove', 'dice')).stays).toEqual([plugins('data', 'toolset-dice')])
  expect(readdirSync(plugins())).toEqual(['data'])
  expect((await stage.run(['remove', 'toolset-files'])).note).toContain('came with agent')
  stage.write(plugins('local', 'toolset-hand', 'agent.plugin.json'), diceFiles({ id: 'toolset-hand' })['agent.plugin.json'] ?? '')
  expect(await stage.run(['remove', 'toolset-hand'])).toMatchObject({ code: 2, error: 'USAGE' })
  expect((await stage.run(['remove', 'nothing'])).error).toBe('PLUGIN_NOT_FOUND')
})

test('what a platform has left in the home is named, stays unless it is told otherwise, and is taken with its plugin', async () => {
  const chat = {
    id: 'chat',
    entry: 'dist/platform.chat.js',
    label: 'Chat',
    door: 'messaging',
    reach: 'people',
    capabilities: {},
    limits: {},
  }
  const env = ['CHAT_TOKEN', 'SHARED_TOKEN'].map((name) => ({ name, secret: true, required: false, prompt: name }))
  const about = { id: 'platform-chat', api: { platform: 1 }, contributes: { platforms: [chat] }, env }
  const files = { ...diceFiles(about), 'dist/platform.chat.js': 'export default { connect: async () => ({}) }' }
  const other = diceFiles({ env: env.slice(1) })
  await stage.install(stage.pack('other', other))
  const put = async (): Promise<void> => {
    await stage.install(stage.pack('chat', files, []))
    writeFileSync(join(stage.home, 'config.yaml'), 'platforms:\n  chat:\n    enabled: true\n  irc:\n    enabled: false\n')
    writeFileSync(join(stage.home, '.env'), 'CHAT_TOKEN=secret\nSHARED_TOKEN=common\n')
  }
  const context = { environment: stage.environment, profile: undefined, note: () => undefined }
  await put()
  await withStore(context, async ({ kv }) => {
    await kv.set('platform-chat', 'cursor', 7)
    await kv.set('toolset-dice', 'last', 6)
    await kv.set('host.channels.chat', 'room', { id: 'room', account: 'bot', kind: 'group', lastSeen: 0 })
    await kv.set('gateway.threads', 'chat', ['room'])
    await wishFor(kv, 'chat', 'paused')
    await quarantineIn(kv).set('platform-chat', { since: 1, faults: 5, detail: 'd' })
  })
  const at = (name: string): string => join(stage.home, name)
  const traces = [
    ...['1 value', 'the mark of its quarantine', '1 channel of chat', 'the pause of chat'].map((text) => `${text} in ${at('state.db')}`),
    ...[`platforms.chat in ${at('config.yaml')}`, `CHAT_TOKEN in ${at('.env')}`],
  ]
  const { out } = await stage.run(['remove', 'platform-chat'])
  expect(out).toBe(
    `platform-chat is removed. This stays: ${traces.join(', ')}. To take that away too, install it once more and run agent plugins remove platform-chat --data.\n`,
  )
  expect(readFileSync(at('.env'), 'utf8')).toContain('CHAT_TOKEN=secret')
  await put()
  expect((await stage.json('remove', 'platform-chat', '--data')).went).toEqual(traces)
  expect(readFileSync(at('.env'), 'utf8')).toBe('SHARED_TOKEN=common\n')
  expect(readFileSync(at('config.yaml'), 'utf8')).toBe('platforms:\n  irc:\n    enabled: false\n')
  await withStore(context, async ({ kv }) => {
    const spaces = ['platform-chat', 'host.channels.chat', 'gateway.threads', 'host.platforms', 'host/quarantine']
    expect(await Promise.all(spaces.map((space) => kv.keys(space)))).toEqual([[], [], [], [], []])
    expect(await kv.get('toolset-dice', 'last')).toBe(6)
  })
})

test('a folder is linked, told from an installed plugin, and unlinked', async () => {
  for (const [path, text] of Object.entries(diceFiles())) stage.write(join(stage.folder, 'work', path), text)
  expect((await stage.run(['install', 'link:work'])).out).toContain('toolset-dice 1.0.0 is installed.')
  expect(await row()).toMatchObject({ source: 'link', root: join(stage.folder, 'work'), state: 'ready' })
  expect((await stage.run(['install', 'link:work'])).out).toContain('already')
  await stage.run(['remove', 'toolset-dice'])
  expect(existsSync(join(stage.folder, 'work', 'package.json'))).toBe(true)
  expect(await row()).toBeUndefined()
  expect((await stage.json('install', 'link:nowhere')).error?.params.reason).toBe('manifest-invalid')
})

test('verify names every file that is not what was installed', async () => {
  await stage.install(stage.pack('dice', { ...diceFiles(), 'README.md': 'Dice', LICENSE: 'MIT' }))
  expect(await stage.run(['verify'])).toMatchObject({ code: 0, out: 'toolset-dice 1.0.0: every file is as it was installed\n' })
  const root = folderOf('1.0.0')
  writeFileSync(join(root, 'README.md'), 'Nice')
  rmSync(join(root, 'LICENSE'))
  symlinkSync('/etc/passwd', join(root, 'extra'))
  const { code, out } = await stage.run(['verify', 'toolset-dice'])
  expect(code).toBe(1)
  expect(out).toBe('toolset-dice 1.0.0: not every file is as it was installed\n  changed: README.md\n  missing: LICENSE\n  added: extra\n')
  rmSync(`${root}.sha256`)
  expect(await stage.json('verify')).toMatchObject({ verified: [{ reason: null, changes: [{ path: '.', change: 'unknown' }] }] })
})

test('code beside an entry is compared at every start, other files by verify alone', async () => {
  await stage.install(stage.pack('dice', { ...diceFiles(), 'dist/chunk-1.js': 'export {}', 'README.md': 'Dice' }))
  appendFileSync(join(folderOf('1.0.0'), 'README.md'), 'more')
  expect(await row()).toMatchObject({ reason: 'not-enabled' })
  appendFileSync(join(folderOf('1.0.0'), 'dist', 'chunk-1.js'), '// more')
  expect(await row()).toMatchObject({ reason: 'integrity-modified', detail: expect.stringContaining('dist/chunk-1.js') })
})

test('frozen puts right what was changed or lost, without touching the lock', async () => {
  await stage.install(dice())
  await stage.run(['enable', 'toolset-dice'])
  const [lock, before] = [lockFile(), stage.fingerprint()]
  expect((await stage.run(['install', '--frozen'])).out).toContain('installed already')
  appendFileSync(join(folderOf('1.0.0'), 'dist', 'toolset.dice.js'), '// more')
  expect(await row()).toMatchObject({ reason: 'integrity-modified', fix: 'agent plugins install --frozen' })
  expect((await stage.run(['install', '--frozen'])).code).toBe(0)
  expect(await row()).toMatchObject({ state: 'ready' })
  rmSync(plugins('store'), { recursive: true })
  expect(await row()).toMatchObject({ reason: 'store-missing', fix: 'agent plugins install --frozen' })
  expect((await stage.run(['install', '--frozen'])).code).toBe(0)
  expect(await row()).toMatchObject({ state: 'ready' })
  expect(lockFile()).toBe(lock)
  expect(stage.fingerprint()).toBe(before)
})

test.each([
  ['another tarball', 'integrity-mismatch', () => void stage.pack('dice', diceFiles({ description: 'Other.' }))],
  ['another hash of the files', 'files-mismatch', () => editLock(stage.home, (one) => ({ ...one, files: '0'.repeat(64) }))],
  ['another hash of the manifest', 'lock-stale', () => editLock(stage.home, (one) => ({ ...one, manifest: '0'.repeat(64) }))],
  [
    'a consent to something else',
    'lock-stale',
    () => editLock(stage.home, (one) => ({ ...one, consent: { hash: '0'.repeat(64), at: 'x' } })),
  ],
  ['no version', 'lock-stale', () => editLock(stage.home, ({ version: _gone, ...one }) => one)],
])('frozen refuses %s and changes nothing', async (_, reason, tamper) => {
  await stage.install(dice())
  rmSync(plugins('store'), { recursive: true })
  tamper()
  const before = stage.fingerprint()
  expect((await stage.json('install', '--frozen')).error?.params).toMatchObject({ reason })
  expect(stage.fingerprint()).toBe(before)
})

test('a lock edited by hand is told, and the printed way out works', async () => {
  await stage.install(dice())
  editLock(stage.home, (one) => ({ ...one, manifest: '0'.repeat(64) }))
  expect(await row()).toMatchObject({ reason: 'lock-mismatch', fix: expect.stringContaining('agent plugins remove toolset-dice') })
  expect((await stage.run(['remove', 'toolset-dice'])).code).toBe(0)
  await stage.install(dice())
  editLock(stage.home, (one) => ({ ...one, entries: 7 }))
  expect(await row()).toMatchObject({ reason: 'lock-mismatch' })
  expect(await stage.json('verify')).toMatchObject({ verified: [{ id: 'toolset-dice', reason: 'lock-mismatch' }] })
  expect((await stage.run(['remove', 'toolset-dice'])).code).toBe(0)
  expect(existsSync(plugins())).toBe(false)
})

test('a damaged lock stops every change', async () => {
  stage.write(plugins('plugins.lock.json'), '{')
  const before = stage.fingerprint()
  for (const words of [['install', dice()], ['update'], ['remove', 'toolset-dice'], ['verify'], ['install', '--frozen']]) {
    expect((await stage.run(words)).error).toBe('PLUGIN_LOCK_DAMAGED')
  }
  rmSync(join(stage.folder, 'dice.tgz'))
  expect(stage.fingerprint()).toBe(before)
})

test('one command at a time changes plugins; what a killed one left is cleared away', async () => {
  const other = spawn('sleep', ['60'])
  stage.write(plugins('.writer'), JSON.stringify({ pid: other.pid, started: '' }))
  expect(await stage.run(['install', dice()])).toMatchObject({ error: 'PLUGINS_BUSY', code: 1 })
  other.kill('SIGKILL')
  await once(other, 'exit')
  stage.write(plugins('.staging', 'package-x', 'half.js'), '')
  await stage.install(dice())
  expect(readdirSync(plugins()).sort()).toEqual(['plugins.lock.json', 'store'])
})

test('an interrupted installation leaves nothing', async () => {
  dice()
  const before = stage.fingerprint()
  expect((await stage.run(['install', 'file:dice.tgz'], { signal: AbortSignal.abort(fail('INTERRUPTED')) })).code).toBe(130)
  expect(stage.fingerprint()).toBe(before)
})

test.each([
  [[], /Name what to install/],
  [['dice', '--frozen'], /Name what to install/],
  [['./dice'], /agent plugins install link:\.\/dice/],
  [['dice.tgz'], /agent plugins install file:dice\.tgz/],
  [['file:dice'], /as npm pack makes it/],
  [['https://a.example/dice.tgz'], /registry/],
  [['git+https://a.example/dice.git#main'], /full commit/],
  [['git+ftp://a.example/dice.git#main'], /no address/],
  [['-dice'], /-dice/],
  [['@x/../y'], /cannot be installed/],
])('%j is misuse', async (words, text) => {
  const { code, note } = await stage.run(['install', ...words])
  expect(code).toBe(2)
  expect(note).toMatch(text)
  expect(readdirSync(stage.home)).toEqual([])
})

test('a file that is not there is said to be missing', async () => {
  expect((await stage.json('install', 'file:gone.tgz')).error).toMatchObject({
    code: 'PLUGIN_FETCH',
    message: expect.stringContaining('there is no such file'),
  })
})
