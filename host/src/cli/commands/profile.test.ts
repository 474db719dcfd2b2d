import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test.each([['--clone'], ['--clone-all'], ['--clone-from', 'y']])('%s is named as not built and makes nothing', async (...flag) => {
  const note = `agent: agent profile create ${flag[0]} is not part of this version yet.\n`
  expect(await run(['create', 'x', ...flag])).toMatchObject({ code: 2, error: 'NOT_BUILT', note })
  expect(existsSync(join(home, 'profiles'))).toBe(false)
})

test('without a terminal deleting needs --yes', async () => {
  await run(['create', 'work'])
  const ran = await run(['delete', 'work'])
  expect(ran.code).toBe(2)
  expect(ran.note).toContain('--yes')
  expect(existsSync(join(home, 'profiles', 'work'))).toBe(true)
})
