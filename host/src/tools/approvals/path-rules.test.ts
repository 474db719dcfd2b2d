import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  ['/home/ann/code/AGENTS.md', 'rule-files'],
  ['/home/ann/code/sub/claude.md', 'rule-files'],
  ['/home/ann/.agent/workspace/.cursorrules', 'rule-files'],
  ['/home/ann/.agent/SOUL.md', 'agent-settings'],
  ['/home/ann/code/.git/config', 'git-hooks'],
  ['/home/ann/code/.git/config.lock', undefined],
  ['/home/ann/code/hooks/pre-commit', undefined],
  ['/home/ann/.agent', 'agent-settings'],
  ['/home/ann/.agent/config.yaml', 'agent-settings'],
  ['/home/ann/.agent/cache/manifests.json', 'agent-settings'],
  ['/home/ann/.agent/cache', 'agent-settings'],
  ['/home/ann/.agent/profiles/work/skills/x', 'agent-settings'],
  ['/home/ann/.agent/skill-bundles/x.yaml', 'agent-settings'],
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

test('what is linked to is protected where it really lies, and no less where it is not there', async () => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'rules-')))
  const [userHome, vault] = [join(top, 'ann'), join(top, 'vault')]
  await Promise.all([mkdir(join(userHome, '.agent'), { recursive: true }), mkdir(join(vault, 'keys'), { recursive: true })])
  await symlink(join(vault, 'keys'), join(userHome, '.ssh'))
  await symlink(userHome, join(top, 'other-name'))
  const linked = createPathRules({ home: join(userHome, '.agent'), userHome })
  const held = await Promise.all(
    [vault, join(vault, 'keys'), userHome, join(top, 'other-name'), join(userHome, '.aws'), join(top, 'other-name', '.kube')].map(
      linked.holdsProtected,
    ),
  )
  expect(held).toEqual([true, true, true, true, true, true])
  expect(await linked.holdsProtected(join(userHome, 'code'))).toBe(false)
  expect(await linked.holdsProtected(join(vault, 'other'))).toBe(false)
  await rm(top, { recursive: true })
})

test.each([
  ['/home/ann/.ss[h]/id_*', 'credentials'],
  ['/home/ann/.s*/id_ed25519', 'credentials'],
  ['/home/ann/.net?c', 'credentials'],
  ['/home/ann/.ss[z-a]/id_rsa', 'credentials'],
  ['/home/ann/.ss[a-cz-h]/id_rsa', 'credentials'],
  ['/home/ann/*/id_rsa', undefined],
  ['/home/ann/code/[source.crates-io]', undefined],
])('who reads all that fits %s is judged: %s', (pattern, name) => {
  expect(rules.globReads(pattern)?.name).toBe(name)
})

test('other homes of the user are guarded like its own, wherever they lie', async () => {
  const far = createPathRules({ home: '/opt/one', userHome: '/home/ann', otherHomes: ['/home/ann/.agent', '/srv/two/profiles/work'] })
  for (const home of ['/opt/one', '/home/ann/.agent', '/srv/two', '/srv/two/profiles/work']) {
    expect(await far.judge(`${home}/auth.json`, 'read')).toBe('refuse')
    expect(await far.judge(`${home}/.env`, 'write')).toBe('refuse')
    expect(await far.judge(`${home}/config.yaml`, 'write')).toMatchObject({ name: 'agent-settings' })
    expect(await far.judge(`${home}/workspace/note.txt`, 'write')).toBeUndefined()
    expect(await far.judgeTree(home)).toBe('refuse')
    expect(far.globFits(`${home}/*.json`, 'read')).toBe(true)
    expect(await far.holdsProtected(home)).toBe(true)
  }
  expect(await far.judge('/srv/three/config.yaml', 'write')).toMatchObject({ name: 'system-files' })
})
