import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChildCommandOptions, formatChildCommand } from './child-command.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'command-')))
  for (const name of ['root', 'data', 'work']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'child.mjs'), '')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const reason = 'made up'
const format = (
  permissions: ChildCommandOptions['set']['permissions'],
  more: Partial<ChildCommandOptions> = {},
  roots = [join(folder, 'root')],
) =>
  formatChildCommand({
    set: { key: 'k', isolation: 'process', required: false, memoryBytes: 256 * 1024 * 1024, keepsMemories: false, permissions },
    places: {
      program: join(folder, 'child.mjs'),
      roots,
      data: [join(folder, 'data')],
      workspace: join(folder, 'work'),
      cwd: join(folder, 'data'),
    },
    ...{ node: '/usr/bin/node', flags: new Set(['--permission', '--disable-sigusr1']), homes: [join(folder, 'home')], secrets: [] },
    ...more,
  })
const sandbox = { works: true, kind: 'bwrap', program: '/usr/bin/bwrap', flags: ['--unshare-user'] } as const
const short = (args: readonly string[]): readonly string[] => args.map((arg) => arg.replaceAll(folder, ''))

test('a plugin reads its own folder and its data, writes its data, and has three quarters of its memory for the heap', () => {
  const { file, args, warnings, sandboxed } = format({})
  expect([file, warnings, sandboxed]).toEqual(['/usr/bin/node', [], false])
  expect(short(args)).toEqual([
    '--max-old-space-size=192',
    '--disable-sigusr1',
    '--permission',
    '--allow-fs-read=/root/*',
    '--allow-fs-read=/data/*',
    '--allow-fs-read=/child.mjs',
    '--allow-fs-write=/data/*',
    '/child.mjs',
  ])
})

test('what the manifest declares is added; a folder within another is not named twice, and what is no path stands for nothing', () => {
  const { args } = format({
    fs: {
      value: { read: ['/etc', '$workspace/notes', 'relative', '$cache', join(folder, 'root', 'deep')], write: ['$workspace'] },
      reason,
    },
    run: { value: ['git'], reason },
  })
  expect(short(args)).toEqual([
    '--max-old-space-size=192',
    '--disable-sigusr1',
    '--permission',
    '--allow-fs-read=/root/*',
    '--allow-fs-read=/data/*',
    '--allow-fs-read=/etc/*',
    '--allow-fs-read=/work/*',
    '--allow-fs-read=/child.mjs',
    '--allow-fs-write=/data/*',
    '--allow-fs-write=/work/*',
    '--allow-child-process',
    '/child.mjs',
  ])
})

test('a link is followed, because Node judges by the real path', () => {
  symlinkSync(join(folder, 'root'), join(folder, 'link'))
  expect(short(format({}, {}, [join(folder, 'link')]).args)).toContain('--allow-fs-read=/root/*')
})

test('Node 20 is asked by its own name and warned about; a Node without permissions is told', () => {
  const run = { run: { value: ['git'], reason } }
  const old = format(run, { flags: new Set(['--experimental-permission', '--disable-warning']) })
  expect(old.args).toContain('--experimental-permission')
  expect(old.args).toContain('--disable-warning=ExperimentalWarning')
  expect(old.warnings).toEqual([expect.stringMatching(/nothing limits what they do/)])
  const now = format(run, { flags: new Set(['--permission', '--experimental-permission', '--disable-warning']) })
  expect(now.args).toContain('--permission')
  expect([now.args.filter((word) => word.includes('warning')), now.warnings]).toEqual([[], []])
  const none = format(run, { flags: new Set() })
  expect(short(none.args)).toEqual(['--max-old-space-size=192', '--inspect-port=240.0.0.1:9229', '/child.mjs'])
  expect(none.warnings).toEqual([expect.stringMatching(/no permission flags/)])
  expect(format(run, { flags: new Set(), sandbox }).warnings).toEqual([])
})

const boxed = (permissions: ChildCommandOptions['set']['permissions'] = {}, more: Partial<ChildCommandOptions> = {}): string =>
  short(format(permissions, { sandbox, ...more }).args).join(' ')

test('a sandbox shows the programs of the system, what the plugin needs, and nothing else', () => {
  expect(format({}, { sandbox })).toMatchObject({ file: '/usr/bin/bwrap', sandboxed: true })
  const line = boxed()
  expect(line).toMatch(
    /^--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --as-pid-1 --new-session --die-with-parent --cap-drop ALL --json-status-fd 4 /,
  )
  expect(line).toContain('--ro-bind /root /root --bind /data /data')
  expect(line).toMatch(/--proc \/proc .*--ro-bind \/proc\/sys \/proc\/sys/)
  expect(line).toMatch(
    /--remount-ro \/proc --remount-ro \/run --remount-ro \/ --chdir \/data \S*node --max-old-space-size=192 .*\/child.mjs closed$/,
  )
  expect(line).not.toMatch(/--ro-bind \/ |\/run\/egress/)
})

test('a program that is reached by a link is named by its own path, which is the one that a sandbox shows', () => {
  symlinkSync(folder, join(folder, 'link'))
  const places = { program: join(folder, 'link', 'child.mjs'), roots: [], data: [], workspace: join(folder, 'work'), cwd: folder }
  expect(boxed({}, { places })).toMatch(/--ro-bind \/child.mjs \/child.mjs .* \/child.mjs closed$/)
})

test('the one way out is a folder of the host; a plugin with the network of the machine has none', () => {
  expect(boxed({}, { door: '/tmp/door' })).toMatch(/--ro-bind \/tmp\/door \/run\/egress .*\/child.mjs \/run\/egress\/door$/)
  expect(boxed({ net: { value: ['direct'], reason } })).not.toContain('--unshare-net')
})

test('the home of the agent stays out of sight where a plugin may read what it is in', () => {
  mkdirSync(join(folder, 'home'))
  const fs = { fs: { value: { read: [folder], write: [] }, reason } }
  expect(boxed(fs)).toContain('--tmpfs /home ')
  expect(boxed()).not.toContain('--tmpfs /home ')
})

test('a secret is hidden from who does not declare exactly it', () => {
  const secret = join(folder, 'work', '.env')
  writeFileSync(secret, '')
  const hides = (read: string[], write: string[] = []): boolean =>
    boxed({ fs: { value: { read, write }, reason } }, { secrets: [secret] }).includes('/dev/null /work/.env')
  expect([hides(['$workspace']), hides([], ['$workspace']), hides(['$workspace', secret]), hides(['$workspace'], [secret])]).toEqual([
    ...[true, true, false, false],
  ])
})

test('a plugin that starts nothing is not allowed to; one that has the network of the machine is told of no door', () => {
  const old = format({}, { flags: new Set(['--experimental-permission', '--allow-net']) })
  expect(old.warnings).toEqual([])
  expect(old.args).not.toContain('--allow-child-process')
  expect(old.args).not.toContain('--disable-warning=ExperimentalWarning')
  expect(old.args).toContain('--allow-net')
  expect(format({}).args).not.toContain('--allow-net')
  expect(format({ run: { value: [], reason } }).args).not.toContain('--allow-child-process')
  expect(boxed({ net: { value: ['direct'], reason } })).toMatch(/\/child.mjs$/)
  expect(boxed({ net: { value: ['a.example'], reason } })).toContain('--unshare-net')
})

test('of several folders each is granted once, and only what lies in none of the others', () => {
  const read = ['deep', 'deep/er', 'deeper'].map((name) => join(folder, 'work', name))
  for (const path of read) mkdirSync(path, { recursive: true })
  const { args } = format({ fs: { value: { read, write: [] }, reason } })
  expect(short(args).filter((arg) => arg.startsWith('--allow-fs-read=/work'))).toEqual([
    '--allow-fs-read=/work/deep/*',
    '--allow-fs-read=/work/deeper/*',
  ])
})

test('a small set has at least 32 MiB for the heap', () => {
  const set = { key: 'k', isolation: 'process', required: false, memoryBytes: 1024 * 1024, keepsMemories: false, permissions: {} } as const
  expect(format({}, { set }).args).toContain('--max-old-space-size=32')
})
