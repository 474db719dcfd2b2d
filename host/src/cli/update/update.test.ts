// @module-tag process
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { noteDashboard } from '#dashboard/instance.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from './command.ts'

/** Stands for the scripts of a version: notes its words and the version, and fails where its own text says so. */
const scripts = `import { appendFileSync, readFileSync } from 'node:fs'
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
appendFileSync('../ran', version + ' ' + process.argv[2] + '\\n')
`

let folder: string
let server: string
let installRoot: string
let home: string

const git = (cwd: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@x.example', ...words], { cwd, encoding: 'utf8' })

/** Commits these files at the server. */
function publish(title: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(server, name)), { recursive: true })
    writeFileSync(join(server, name), text)
  }
  git(server, 'add', '--all')
  git(server, 'commit', '--quiet', '-m', title)
}

const enter = (made: string): void => {
  folder = made
  ;[server, installRoot, home] = [join(folder, 'server'), join(folder, 'agent'), join(folder, 'home')]
}

/** A server and a clone of it, made once and copied for each test. */
const template = mkdtempSync(join(tmpdir(), 'update-'))
beforeAll(() => {
  enter(template)
  for (const each of [server, home]) mkdirSync(each)
  git(server, 'init', '--quiet', '-b', 'main')
  publish('First', { 'package.json': '{"version":"1.0.0"}', 'host/install/run.mjs': scripts, 'a.ts': 'a\n', 'b.ts': 'b\n' })
  git(folder, 'clone', '--quiet', server, installRoot)
  git(installRoot, 'remote', 'set-url', 'origin', '../server')
})
afterAll(() => rmSync(template, { recursive: true, force: true }))

beforeEach(() => {
  enter(mkdtempSync(join(tmpdir(), 'update-')))
  cpSync(template, folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...words: string[]) => runCommand(command, words, { environment: { AGENT_HOME: home, PATH: process.env.PATH }, installRoot })
const ran = (): string => (existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8') : '')
const read = (name: string): string => readFileSync(join(installRoot, name), 'utf8')
const head = (): string => git(installRoot, 'rev-parse', 'HEAD').trim()
const second = { 'package.json': '{"version":"1.1.0"}', 'a.ts': 'aa\n' }

proves('cli.update', 'what is new is told and then brought, with its packages and its build', async () => {
  expect(await run()).toMatchObject({ code: 0, out: `agent 1.0.0 is up to date (main, ${head().slice(0, 8)}).\n` })
  publish('Second', second)
  const before = head()
  expect((await run('--check')).out).toBe('1 change on main:\n  Second\nagent update brings them.\n')
  expect(JSON.parse((await run('--check', '--json')).out)).toMatchObject({ version: '1.0.0', head: before, incoming: ['Second'], own: 0 })
  expect([head(), ran()]).toEqual([before, ''])
  expect(await run()).toMatchObject({ code: 2, note: expect.stringContaining('--yes') })
  writeFileSync(join(home, 'gateway.pid'), '')
  noteDashboard({ path: home }, 'http://127.0.0.1:9119')
  const updated = await run('--yes', '--no-backup')
  expect(updated.out).toBe(
    'agent is updated: 1 change, 1.0.0 → 1.1.0.\nagent gateway restart lets the gateway run on it.\nThe dashboard runs on it from its next start: agent dashboard --stop ends the one that runs.\n',
  )
  expect([updated.code, read('a.ts'), ran()]).toEqual([0, 'aa\n', '1.1.0 install\n1.1.0 build\n'])
  expect((await run('--yes')).out).toContain('is up to date')
  expect(existsSync(join(home, 'backups'))).toBe(false)
})

proves('config.updates', 'the home is copied before, as much and as often as the settings say', async () => {
  const database = new Database(join(home, 'state.db'))
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE said (text); INSERT INTO said VALUES ('hello')")
  for (const name of ['.env', 'skills/tea/SKILL.md', 'logs/agent.log', 'memories/MEMORY.md']) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), name)
  }
  const copies: string[][] = []
  for (const [extent, keep] of [
    ['quick', 1],
    ['full', 1],
    ['full', 2],
  ]) {
    writeFileSync(join(home, 'config.yaml'), `updates: { pre_update_backup: ${extent}, backup_keep: ${keep} }\n`)
    publish('More', { 'a.ts': `${copies.length}\n` })
    const { out } = await run('--yes')
    expect(out).toMatch(/^agent is updated: 1 change, [0-9a-f]{8} → [0-9a-f]{8}\.$/m)
    const made = /^The home was copied to (.*)\.$/m.exec(out)?.[1] ?? ''
    copies.push(readdirSync(made).sort())
    const copy = new Database(join(made, 'state.db'), { readonly: true })
    expect(copy.prepare('SELECT text FROM said').pluck().all()).toEqual(['hello'])
    copy.close()
    // Names are to the second.
    await expect.poll(() => new Date().toISOString().slice(0, 19).replaceAll(':', '-')).not.toBe(made.slice(-19))
  }
  database.close()
  expect(copies).toEqual([
    ['.env', 'config.yaml', 'memories', 'state.db'],
    ['.env', 'config.yaml', 'memories', 'skills', 'state.db'],
    ['.env', 'config.yaml', 'memories', 'skills', 'state.db'],
  ])
  expect(readdirSync(join(home, 'backups'))).toHaveLength(2)
})

test('changes of this machine come back where they fit, and are kept where they do not or are not wanted', async () => {
  writeFileSync(join(installRoot, 'b.ts'), 'mine\n')
  publish('Second', second)
  expect(JSON.parse((await run('--check', '--json')).out).edited).toEqual(['b.ts'])
  expect((await run('--yes')).out).not.toContain('stash')
  expect([read('a.ts'), read('b.ts'), git(installRoot, 'stash', 'list')]).toEqual(['aa\n', 'mine\n', ''])
  publish('Third', { 'b.ts': 'theirs\n' })
  expect((await run('--yes')).out).toContain('The changes of this machine no longer fit; git stash show -p shows them.\n')
  expect([read('b.ts'), git(installRoot, 'stash', 'show', '-p')]).toEqual(['theirs\n', expect.stringContaining('+mine')])
  writeFileSync(join(installRoot, 'b.ts'), 'other\n')
  writeFileSync(join(home, 'config.yaml'), 'updates: { non_interactive_local_changes: discard }\n')
  publish('Fourth', { 'a.ts': 'aaaa\n' })
  expect((await run('--yes')).out).toContain('The changes of this machine were left out; git stash show -p shows them.\n')
  expect([read('b.ts'), git(installRoot, 'stash', 'show', '-p')]).toEqual(['theirs\n', expect.stringContaining('+other')])
})

test('a version that cannot be built is left for the one of before, with what was changed here', async () => {
  writeFileSync(join(installRoot, 'b.ts'), 'mine\n')
  const before = head()
  publish('Broken', { ...second, 'host/install/run.mjs': `${scripts}if (process.argv[2] === 'build') throw new Error('no such part')\n` })
  const { code, note, out, error } = await run('--yes', '--no-backup')
  expect([code, out, error]).toEqual([1, '', 'UPDATE_IMPOSSIBLE'])
  expect(note).toMatch(/agent: The update failed at building: .+\. The program is as it was\.\n$/)
  expect([head(), read('a.ts'), read('b.ts'), git(installRoot, 'stash', 'list')]).toEqual([before, 'a\n', 'mine\n', ''])
  expect(ran()).toBe('1.1.0 install\n1.1.0 build\n1.0.0 install\n1.0.0 build\n')
})

test('a file of this machine that a new one would overwrite stops it, and nothing is changed', async () => {
  writeFileSync(join(installRoot, 'c.ts'), 'mine\n')
  publish('Second', { ...second, 'c.ts': 'theirs\n' })
  expect(await run('--yes')).toMatchObject({ code: 1, note: expect.stringContaining('The update failed at taking the new files: ') })
  expect([read('a.ts'), read('c.ts')]).toEqual(['a\n', 'mine\n'])
})

test('where the way back fails too, that is said, and how to go on by hand', async () => {
  const before = head()
  // Its script leaves git locked.
  publish('Broken', {
    'host/install/run.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync('.git/index.lock', '')\nthrow new Error('no such part')\n`,
  })
  const { code, note } = await run('--yes', '--no-backup')
  expect(code).toBe(1)
  expect(note).toMatch(
    new RegExp(`agent: The update failed, and the way back too \\(.+\\)\\. git reset --hard ${before} and npm start in `),
  )
})

test('without git its absence is said', async () => {
  const { code, note } = await runCommand(command, ['--check'], { environment: { AGENT_HOME: home, PATH: '/nonexistent' }, installRoot })
  expect([code, note]).toEqual([1, expect.stringMatching(/git cannot look at .*: git is not installed here\. Mend that/)])
})

test.each<[string, () => void, RegExp]>([
  [
    'of which this machine has more',
    () => git(installRoot, 'commit', '--quiet', '--allow-empty', '-m', 'Mine'),
    /has 1 commit that the server/,
  ],
  ['on no branch', () => git(installRoot, 'checkout', '--quiet', '--detach'), /is on no branch of a git repository/],
  ['that follows none', () => git(installRoot, 'switch', '--quiet', '-c', 'own'), /The branch own follows none of a server/],
  ['whose server is gone', () => rmSync(server, { recursive: true }), /The server of the program was not reached \(.*does not/],
  [
    'that is none',
    () => rmSync(join(installRoot, '.git'), { recursive: true }),
    /is no git checkout\. .*npm install --global agent@latest/,
  ],
  [
    'that another process updates',
    () => writeFileSync(join(installRoot, '.update.lock'), JSON.stringify({ pid: process.pid, started: '' })),
    /Process \d+ updates the program already/,
  ],
])('a checkout %s is left alone', async (_, change, sentence) => {
  publish('Second', second)
  change()
  expect(await run('--yes')).toMatchObject({ code: 1, note: expect.stringMatching(sentence) })
  expect([read('a.ts'), ran()]).toEqual(['a\n', ''])
})
