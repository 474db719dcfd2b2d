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
    set: { key: 'k', isolation: 'process', memoryBytes: 256 * 1024 * 1024, permissions },
    places: {
      program: join(folder, 'child.mjs'),
      roots,
      data: [join(folder, 'data')],
      workspace: join(folder, 'work'),
      cwd: join(folder, 'data'),
    },
    ...{ node: '/usr/bin/node', flags: new Set(['--permission']), userHome: '/home/ann' },
    ...more,
  })
const short = (args: readonly string[]): readonly string[] => args.map((arg) => arg.replaceAll(folder, ''))

test('a plugin reads its own folder and its data, writes its data, and has three quarters of its memory for the heap', () => {
  const { file, args, warnings, tellsPid } = format({})
  expect([file, warnings, tellsPid]).toEqual(['/usr/bin/node', [], false])
  expect(short(args)).toEqual([
    '--max-old-space-size=192',
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
  const none = format(run, { flags: new Set() })
  expect(short(none.args)).toEqual(['--max-old-space-size=192', '/child.mjs'])
  expect(none.warnings).toEqual([expect.stringMatching(/no permission flags/)])
})

test('a sandbox has no network, hides the home and binds what the plugin needs', () => {
  const set = { key: 'k', isolation: 'bwrap' as const, memoryBytes: 64 * 1024 * 1024, permissions: {} }
  const { file, args, tellsPid } = format({}, { set, bwrap: '/usr/bin/bwrap' })
  expect([file, tellsPid]).toEqual(['/usr/bin/bwrap', true])
  const line = short(args).join(' ')
  expect(line).toMatch(/--die-with-parent .*--unshare-all .*--ro-bind \/ \/ .*--tmpfs \/home\/ann /)
  expect(line).toContain('--ro-bind /root /root --bind /data /data --chdir /data /usr/bin/node --max-old-space-size=48')
})
