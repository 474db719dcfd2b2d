import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from './profile.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'profile-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (words: string[], profile?: string) =>
  runCommand(command, words, { environment: { AGENT_HOME: home }, ...(profile === undefined ? {} : { profile }) })

test('a profile is made, listed, shown and deleted', async () => {
  const path = join(home, 'profiles', 'work')
  expect((await run(['create', 'work'])).out).toContain(`ready in ${path}`)
  expect((await run([])).out).toBe(`default *  ${home}\nwork       ${path}\n`)
  expect(JSON.parse((await run(['list', '--json'])).out).profiles).toHaveLength(2)
  expect((await run(['show', 'work'])).out).toContain(join(path, 'config.yaml'))
  expect(JSON.parse((await run(['show', '--json'], 'work')).out)).toMatchObject({ name: 'work', path })
  expect(JSON.parse((await run(['show', '--json'])).out)).toMatchObject({ name: 'default', path: home })
  expect(await run(['delete', 'work', '-y'])).toMatchObject({ code: 0, out: 'Profile work is gone.\n' })
  expect(existsSync(path)).toBe(false)
})

test.each([
  [['create', 'a/b'], 1, '"a/b" cannot be a profile name'],
  [['create', 'default'], 2, 'already a profile named "default"'],
  [['show', 'nobody'], 1, 'There is no profile named "nobody"'],
  [['delete', 'nobody', '-y'], 1, 'There is no profile named "nobody"'],
  [['delete', 'default', '-y'], 2, 'The default profile cannot be deleted'],
])('a wrong call is refused and makes nothing: %j', async (words, code, sentence) => {
  const ran = await run(words)
  expect(ran.code).toBe(code)
  expect(ran.note).toContain(sentence)
  expect(existsSync(join(home, 'profiles'))).toBe(false)
})

const fill = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }
}
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

const kept = ['.env', 'SOUL.md', 'config.yaml', 'memories/MEMORY.md', 'skill-bundles/meal.yaml', 'skills/own/SKILL.md']
const more = ['auth.json', 'memories/others/ann/MEMORY.md', 'plugins/local/one.txt', 'workspace/note.txt']
const past = [
  ...['state.db', 'state.db-wal', 'backups/a.zip', 'snapshots/s', 'checkpoints/store/HEAD', 'cron/jobs.json', 'logs/agent.log'],
  ...['cache/c', 'gateway.pid', 'gateway_state.json', 'active_profile', 'profiles/other/config.yaml', 'auth.json.lock'],
]
const grow = (folder: string): void => fill(folder, Object.fromEntries([...kept, ...more, ...past].map((name) => [name, name])))

test.each([
  [['--clone'], kept],
  [['--clone-all'], [...kept, ...more].sort()],
  [['--clone-from', 'default'], kept],
])('%j takes over what it says, and never the history', async (flags, files) => {
  grow(home)
  rmSync(join(home, 'active_profile'))
  const ran = await run(['create', 'copy', ...flags])
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining(' of default. Use it') })
  const copy = join(home, 'profiles', 'copy')
  expect(filesOf(copy)).toEqual(files)
  expect(statSync(copy).mode & 0o777).toBe(0o700)
  expect(statSync(join(copy, '.env')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(home, 'profiles')).sort()).toEqual(['copy', 'other'])
})

test('a clone comes from the profile in use, or from the named one', async () => {
  await run(['create', 'work'])
  fill(join(home, 'profiles', 'work'), { 'SOUL.md': 'work' })
  fill(home, { 'SOUL.md': 'default' })
  await run(['create', 'a', '--clone'], 'work')
  await run(['create', 'b', '--clone-all', '--clone-from', 'work'])
  await run(['create', 'c', '--clone'])
  expect(['a', 'b', 'c'].map((name) => readFileSync(join(home, 'profiles', name, 'SOUL.md'), 'utf8'))).toEqual(['work', 'work', 'default'])
})

test.each([
  [['--clone-from', 'nobody'], 1, 'There is no profile named "nobody"'],
  [['--clone', '--no-skills'], 2, '--no-skills does not go with a clone'],
])('a clone that cannot be is refused and makes nothing: %j', async (flags, code, sentence) => {
  expect(await run(['create', 'x', ...flags])).toMatchObject({ code, note: expect.stringContaining(sentence) })
  expect(existsSync(join(home, 'profiles', 'x'))).toBe(false)
})

test('use makes a profile the usual one, and default takes that back', async () => {
  await run(['create', 'work'])
  expect((await run(['use', 'work'])).out).toContain('uses profile work now')
  expect((await run([])).out).toContain('work *')
  await run(['use', 'default'])
  expect((await run([])).out).toContain('default *')
  expect(await run(['use', 'nobody'])).toMatchObject({ code: 1, error: 'PROFILE_NOT_FOUND' })
})

test('a profile gets another name with everything in it, and stays the usual one', async () => {
  await run(['create', 'work'])
  await run(['use', 'work'])
  fill(join(home, 'profiles', 'work'), { 'SOUL.md': 'work' })
  expect(await run(['rename', 'work', 'job'])).toMatchObject({ code: 2, note: expect.stringContaining('--yes') })
  expect((await run(['rename', 'work', 'job', '--yes'])).out).toContain('is called job now')
  expect((await run([])).out).toContain('job *')
  expect(readFileSync(join(home, 'profiles', 'job', 'SOUL.md'), 'utf8')).toBe('work')
  expect(existsSync(join(home, 'profiles', 'work'))).toBe(false)
})

test.each([
  [['rename', 'default', 'x'], 'The default profile cannot be renamed'],
  [['rename', 'work', 'other'], 'already a profile named "other"'],
  [['rename', 'work', 'chat'], '"chat" is a command of agent'],
  [['rename', 'running', 'x'], 'The gateway of profile "running" is running'],
  [['delete', 'running'], 'The gateway of profile "running" is running'],
])('a change that cannot be is refused: %j', async (words, sentence) => {
  for (const name of ['work', 'other', 'running']) await run(['create', name])
  fill(join(home, 'profiles', 'running'), { 'gateway.pid': String(process.pid) })
  expect(await run([...words, '--yes'])).toMatchObject({ code: 2, note: expect.stringContaining(sentence) })
  expect(readdirSync(join(home, 'profiles')).sort()).toEqual(['other', 'running', 'work'])
})

test('without a terminal deleting needs --yes', async () => {
  await run(['create', 'work'])
  const ran = await run(['delete', 'work'])
  expect(ran.code).toBe(2)
  expect(ran.note).toContain('--yes')
  expect(existsSync(join(home, 'profiles', 'work'))).toBe(true)
})
