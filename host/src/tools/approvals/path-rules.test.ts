import { expect, test } from 'vitest'
import { createPathRules } from './path-rules.ts'

const rules = createPathRules({ home: '/home/ann/.agent', userHome: '/home/ann' })
const nameOf = (verdict: Awaited<ReturnType<typeof rules.judge>>): string | undefined =>
  typeof verdict === 'object' ? verdict.name : verdict

test.each([
  ['/', 'system-files'],
  ['/usr/bin/x', 'system-files'],
  ['/home/ann/code/.git/hooks/pre-commit', 'git-hooks'],
  ['/home/ann/code/.git/hooks', 'git-hooks'],
  ['/home/ann/code/.git/config', 'git-hooks'],
  ['/home/ann/code/.git/config.lock', undefined],
  ['/home/ann/code/hooks/pre-commit', undefined],
  ['/home/ann/.agent', 'agent-settings'],
  ['/home/ann/.agent/config.yaml', 'agent-settings'],
  ['/home/ann/.agent/profiles/work/skills/x', 'agent-settings'],
  ['/home/ann/.agent/state.db-wal', 'conversations'],
  ['/home/ann/.agent/.env', 'refuse'],
  ['/home/ann/.ssh/config', 'ssh-config'],
  ['/home/ann/.ssh/id', 'refuse'],
  ['/home/ann/.bashrc', 'start-files'],
  ['/home/ann/notes', undefined],
])('who writes %s is judged: %s', async (path, name) => {
  expect(nameOf(await rules.judge(path, 'write'))).toBe(name)
})

test.each([
  ['/home/ann/.agent', 'refuse'],
  ['/home/ann/.agent/profiles', 'refuse'],
  ['/home/ann/.agent/profiles/work', 'refuse'],
  ['/home/ann/.agent/profiles/work/skills', undefined],
  ['/home/ann/.agent/workspace', undefined],
  ['/home/ann/.agent/workspace/profiles/work', undefined],
  ['/home/ann', 'secrets-inside'],
  ['/home/ann/.ssh', 'secrets-inside'],
  ['/home/ann/code', undefined],
])('who reads all of %s is judged: %s', async (path, name) => {
  expect(nameOf(await rules.judgeTree(path))).toBe(name)
})

test('~ is the folder of the user, by whatever name, and that of root', () => {
  const from = '/work'
  expect(rules.resolve('~/a', from)).toBe('/home/ann/a')
  expect(rules.resolve('~ann/a', from)).toBe('/home/ann/a')
  expect(rules.resolve('~root/a', from)).toBe('/root/a')
  expect(rules.resolve('~bob/a', from)).toBe('/work/~bob/a')
})
