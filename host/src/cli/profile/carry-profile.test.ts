import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { writeTar } from '../../../../test/support/write-tar.ts'
import { command } from '../commands/profile.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'profile-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (...words: string[]) => runCommand(command, words, { environment: { AGENT_HOME: home } })
const deep = join('skills', 'deep'.repeat(20), 'deep'.repeat(20))

function grow(): void {
  mkdirSync(join(home, deep), { recursive: true })
  for (const name of ['config.yaml', '.env', 'auth.json', 'SOUL.md', 'state.db', join(deep, 'SKILL.md')])
    writeFileSync(join(home, name), name)
  symlinkSync('/etc/passwd', join(home, 'skills', 'link'))
}

test.each([
  [[], ['SOUL.md', 'config.yaml', 'skills']],
  [['--with-secrets'], ['.env', 'SOUL.md', 'auth.json', 'config.yaml', 'skills']],
])('what is exported with %j comes back under another name', async (flags, names) => {
  grow()
  const file = join(home, 'workspace.tar.gz')
  expect(await run('export', '-o', file, ...flags)).toMatchObject({ code: 0, out: expect.stringContaining(file) })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await run('export', '-o', file)).toMatchObject({ code: 2, note: expect.stringContaining('is there already') })
  expect(await run('import', file)).toMatchObject({ code: 0, out: expect.stringContaining('Profile workspace is ready') })
  const made = join(home, 'profiles', 'workspace')
  expect(readdirSync(made).sort()).toEqual(names)
  expect(readdirSync(join(home, 'profiles'))).toEqual(['workspace'])
  expect(readFileSync(join(made, deep, 'SKILL.md'), 'utf8')).toBe(join(deep, 'SKILL.md'))
  expect(readdirSync(join(made, 'skills'))).toHaveLength(1)
  expect(statSync(join(made, 'config.yaml')).mode & 0o777).toBe(0o600)
  expect(await run('import', file)).toMatchObject({ code: 2, note: expect.stringContaining('already a profile named "workspace"') })
  expect(await run('import', file, '--name', 'chat')).toMatchObject({ code: 2, note: expect.stringContaining('command of agent') })
})

test.each([
  ['a way up', [{ path: 'profile/../../out', content: 'x' }], 'would not lie in the profile'],
  ['an absolute path', [{ path: '/profile/out', content: 'x' }], 'would not lie in the profile'],
  ['another first folder', [{ path: 'package/out', content: 'x' }], 'would not lie in the profile'],
  ['a symbolic link', [{ path: 'profile/skills', flag: '2', target: '/etc' }], 'neither a file nor a folder'],
  ['a hard link', [{ path: 'profile/skills', flag: '1', target: 'profile/.env' }], 'neither a file nor a folder'],
  ['a device', [{ path: 'profile/skills', flag: '3' }], 'neither a file nor a folder'],
  ['a store', [{ path: 'profile/state.db', content: 'x' }], 'belongs to the past'],
  [
    'a file twice',
    [
      { path: 'profile/a', content: '1' },
      { path: 'profile/a', content: '2' },
    ],
    'can be read',
  ],
])('an archive with %s is refused and leaves nothing', async (_, items, sentence) => {
  const file = join(home, 'x.tar.gz')
  writeFileSync(file, writeTar([{ path: 'profile/SOUL.md', content: 'me' }, ...items]))
  expect(await run('import', file)).toMatchObject({ code: 2, note: expect.stringContaining(sentence) })
  expect(readdirSync(join(home, 'profiles'))).toEqual([])
})

test('a file that is no archive, or is not there, is refused', async () => {
  writeFileSync(join(home, 'x.tar.gz'), 'text')
  for (const name of ['x.tar.gz', 'gone.tar.gz'])
    expect(await run('import', join(home, name))).toMatchObject({ code: 2, note: expect.stringContaining('no profile that can be read') })
  expect(existsSync(join(home, 'profiles', 'x'))).toBe(false)
})

test('plugins in a file need a yes, because their code would run', async () => {
  const file = join(home, 'x.tar.gz')
  writeFileSync(file, writeTar([{ path: 'profile/plugins/local/x/agent.plugin.json', content: '{}' }]))
  expect(await run('import', file)).toMatchObject({ code: 2, note: expect.stringContaining('--yes') })
  expect(readdirSync(join(home, 'profiles'))).toEqual([])
  expect(await run('import', file, '--yes')).toMatchObject({ code: 0, note: expect.stringContaining('config.yaml says from now on') })
  expect(existsSync(join(home, 'profiles', 'x', 'plugins', 'local', 'x', 'agent.plugin.json'))).toBe(true)
})
