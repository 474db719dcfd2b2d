import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { shownFolder } from '../../../../test/support/shown-folder.ts'
import { type CommandSettings, createCommandSandbox, type OpenCommandSandbox } from './command-sandbox.ts'
import type { SandboxLevel } from './sandbox-level.ts'

let place = ''
let sandbox: OpenCommandSandbox
let settings: CommandSettings
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(shownFolder(), '.prepare-')))
  for (const folder of ['user/.agent/profiles/other', 'user/project/deep/inside', 'tmp', 'elsewhere'])
    mkdirSync(at(folder), { recursive: true })
  for (const file of ['user/.netrc', 'user/project/.env']) writeFileSync(at(file), 'secret')
  settings = { sandbox: 'auto', network: 'on', writable: [], hidden: [] }
  sandbox = open()
})
afterEach(async () => {
  await sandbox.close()
  rmSync(place, { recursive: true, force: true })
})

const at = (path: string): string => join(place, path)
const bwrap: SandboxLevel = { works: true, kind: 'bwrap', program: '/usr/bin/bwrap', flags: ['--unshare-user'] }

function open({ level = async () => bwrap }: { readonly level?: () => Promise<SandboxLevel> } = {}): OpenCommandSandbox {
  const home = at('user/.agent')
  return createCommandSandbox({
    level,
    settings: () => settings,
    environment: () => ({ PATH: '/bin', SSH_AUTH_SOCK: '/run/agent' }),
    userHome: at('user'),
    homes: () => [home, join(home, 'profiles/other')],
    cache: join(home, 'cache/sandbox'),
    temporary: at('tmp'),
  })
}

test('a command is started by the program of the sandbox, with the names of the user and none of his services', async () => {
  const { file, environment, contained, infoPipe, args } = await sandbox.prepare({
    ...{ session: 's', workspace: at('user/project'), argv: ['/bin/sh', '-c', 'true'] },
  })
  expect([file, contained, infoPipe, args[0], args.slice(-4)]).toEqual([
    ...['/usr/bin/bwrap', true, 3, '--unshare-user'],
    ['--', '/bin/sh', '-c', 'true'],
  ])
  const cache = at('user/.agent/cache/sandbox')
  expect(environment).toEqual({
    ...{ HOME: at('user'), PATH: '/bin', TMPDIR: '/tmp', XDG_CACHE_HOME: cache },
    ...{ npm_config_cache: join(cache, 'npm'), PIP_CACHE_DIR: join(cache, 'pip') },
    ...(process.getuid?.() === 0 && { TAR_OPTIONS: '--no-same-owner' }),
  })
})

test('without a sandbox a command runs as it is, or is refused where one is demanded', async () => {
  sandbox = open({ level: async () => ({ works: false, reason: 'it rains', fix: 'wait' }) })
  const wish = { session: 's', workspace: place, argv: ['/bin/true', 'a'] }
  expect(await sandbox.prepare(wish)).toMatchObject({ file: '/bin/true', args: ['a'], contained: false, infoPipe: null })
  settings = { ...settings, sandbox: 'required' }
  await expect(sandbox.prepare(wish)).rejects.toThrow(
    'Commands are refused, because terminal.sandbox is required: it rains. To get one, wait',
  )
  expect(await sandbox.prepare({ ...wish, outside: true })).toMatchObject({ contained: false })
  settings = { ...settings, sandbox: 'off' }
  expect(await sandbox.prepare(wish)).toMatchObject({ contained: false })
})

test('a sandbox that works is not used where it is switched off, or the command is to run outside of it', async () => {
  const wish = { session: 's', workspace: place, argv: ['/bin/true', 'a'] }
  expect(await sandbox.prepare({ ...wish, outside: true })).toMatchObject({ file: '/bin/true', contained: false })
  settings = { ...settings, sandbox: 'off' }
  expect(await sandbox.prepare(wish)).toMatchObject({ file: '/bin/true', contained: false })
})

test('on macOS a profile says the same', async () => {
  chmodSync(at('user'), 0o755)
  sandbox = open({ level: async () => ({ works: true, kind: 'sandbox-exec', program: '/usr/bin/sandbox-exec', flags: [] }) })
  settings = { ...settings, network: 'off' }
  const { file, args, environment } = await sandbox.prepare({
    session: 's',
    workspace: at('user'),
    argv: ['/bin/sh', '-c', 'true'],
  })
  const rules = args[1]?.split('\n') ?? []
  expect([file, args[0], ...args.slice(2)]).toEqual(['/usr/bin/sandbox-exec', '-p', '/bin/sh', '-c', 'true'])
  expect(rules.indexOf('(deny file-write*)')).toBeLessThan(rules.indexOf(`(allow file-read* file-write* (subpath "${at('user')}"))`))
  expect(rules).toContain(`(deny file-read* file-write* (subpath "${at('user/.agent')}"))`)
  expect(rules).toContain(`(deny file-read* file-write* (literal "${at('user/.netrc')}"))`)
  expect(rules).toContain('(deny network*)')
  expect(environment.TMPDIR).toContain(at('tmp'))
})

test('what a killed agent left in the temporary folder is removed after a day', async () => {
  const left = (name: string): string => join(place, 'tmp', `agent-sandbox-${name}`)
  // No process has this number.
  const [old, young, own] = [left('4194305-a'), left('4194305-b'), left(`${process.pid}-c`)]
  for (const path of [old, young, own]) mkdirSync(join(path, 'session'), { recursive: true })
  for (const path of [old, own]) utimesSync(path, new Date(0), new Date(0))
  await sandbox.prepare({ session: 's', workspace: join(place, 'user/project'), argv: ['true'] })
  await expect.poll(() => existsSync(old)).toBe(false)
  expect([existsSync(young), existsSync(own)]).toEqual([true, true])
})

test('why a command failed in it is explained by what it does not show', async () => {
  settings = { ...settings, hidden: [at('elsewhere')] }
  const ended = { session: 's', workspace: at('user/project'), command: `ls ${at('elsewhere')}`, output: '', failed: true }
  expect(await sandbox.explain(ended as never)).toBe(`The sandbox does not show ${at('elsewhere')}.`)
})
