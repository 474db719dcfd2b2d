import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { explainStop } from './explain-stop.ts'
import { hiddenOf } from './hidden-paths.ts'
import { planSandbox, type SandboxPlan } from './sandbox-plan.ts'
import { formatSeatbeltProfile } from './seatbelt-profile.ts'

let place = ''
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'rules-')))
  for (const folder of ['user/project/build/deep', 'user/.ssh', 'shared/inner', 'tmp']) mkdirSync(join(place, folder), { recursive: true })
  writeFileSync(join(place, 'user/.bashrc'), '')
})
afterEach(() => rmSync(place, { recursive: true }))
const at = (path: string): string => join(place, path)

function plan(more: Partial<Parameters<typeof planSandbox>[0]> = {}): SandboxPlan {
  return planSandbox({
    ...{ workspace: at('user/project'), userHome: at('user'), temporary: at('tmp'), network: true },
    ...{ hidden: [], writable: [], alsoHidden: [], alsoWritable: [], ...more },
  })
}
const writable = ({ mounts }: SandboxPlan): readonly string[] => mounts.filter(({ as }) => as === 'writable').map(({ path }) => path)

test('of folders to write to, an inner one is dropped, and none that holds the system becomes writable', () => {
  const planned = plan({ alsoWritable: [at('shared/inner'), at('shared'), '/etc', 'build'] })
  expect(writable(planned).toSorted()).toEqual([at('shared'), at('user/project')].toSorted())
})

test('a link in the workspace opens nothing, though the settings name it', () => {
  symlinkSync(at('shared'), at('user/project/link'))
  expect(writable(plan({ alsoWritable: ['link'] }))).toEqual([at('user/project')])
})

test('the keys of the user are hidden where the workspace is the whole home, and start files stay as they are', () => {
  const { mounts } = plan({ workspace: at('user') })
  expect(mounts).toContainEqual({ path: at('user/.ssh'), as: 'hidden', isFolder: true })
  expect(mounts).toContainEqual({ path: at('user/.bashrc'), as: 'fixed', isFolder: false })
})

test('each path has one rule, also a folder on the way to several that are hidden', () => {
  for (const name of ['keys', 'more']) mkdirSync(at(`user/project/build/deep/${name}`))
  const { mounts } = plan({ alsoHidden: ['build/deep/keys', 'build/deep/more'] })
  const paths = mounts.map(({ path }) => path)
  expect(paths).toContain(at('user/project/build/deep'))
  expect(paths).toEqual([...new Set(paths)])
})

const stopOf = (planned: SandboxPlan, output: string, command = 'make'): string | undefined =>
  explainStop(planned, at('user'), { session: 's', workspace: at('user/project'), command, output, failed: true } as never)

test('a command that met a read-only file is told where it may write', () => {
  expect(stopOf(plan(), 'cp: /usr/x: Read-only file system')).toBe(
    `The sandbox lets commands write to ${at('user/project')}, /tmp and nowhere else; terminal.writable adds folders.`,
  )
})

test('what a command missed of the network is told only where there is none', () => {
  const said = 'curl: (6) Could not resolve host: x.org'
  expect(stopOf(plan({ network: false }), said)).toContain('has no network')
  expect(stopOf(plan(), said)).toBeUndefined()
})

test('what a command would read or change and cannot is named', () => {
  const planned = plan({ workspace: at('user') })
  expect(stopOf(planned, '', 'cat ~/.ssh/id')).toBe('The sandbox does not show ~/.ssh/id.')
  expect(stopOf(planned, `cat: ${at('user/.ssh/id')}: No such file`)).toBe(`The sandbox does not show ${at('user/.ssh/id')}.`)
  expect(stopOf(planned, `sh: ${at('user/.bashrc')}: Read-only file system`)).toBe(`The sandbox keeps ${at('user/.bashrc')} as it is.`)
  expect(stopOf(plan({ alsoWritable: [at('user')], alsoHidden: [at('user/project')] }), '')).toContain(
    'is hidden, and a command sees nothing in it',
  )
})

test('settings may name folders of the user, and the way to what is hidden cannot be moved', () => {
  mkdirSync(at('user/project/build/deep/keys'))
  const { mounts } = plan({ alsoHidden: ['~/project/build/deep/keys'], alsoWritable: ['~/../shared'] })
  const own = mounts.filter(({ path }) => path.startsWith(place))
  expect(own.map(({ path, as }) => `${as} ${path.slice(place.length)}`).toSorted()).toEqual([
    'hidden /user/project/build/deep/keys',
    'writable /shared',
    'writable /user/project',
    'writable /user/project/build',
    'writable /user/project/build/deep',
  ])
})

test.each([
  ...['.ssh', '.pgpass', '.cargo/credentials', '.config/rclone', '.bash_history', '.docker/config.json', '.mozilla', '.config/chromium'],
  ...['.var/app/com.google.Chrome', 'Library/Keychains', 'Library/Application Support/Firefox', '.agent', '.git-credentials'],
])('no command sees ~/%s', (path) => {
  mkdirSync(join(at('user'), path), { recursive: true })
  expect(plan({ workspace: at('user') }).mounts).toContainEqual({ path: join(at('user'), path), as: 'hidden', isFolder: true })
})

test.each(['.profile', '.zshrc', '.config/git', 'project/.env', 'project/.envrc'])('no command changes ~/%s', (path) => {
  mkdirSync(join(at('user'), path), { recursive: true })
  const { mounts } = plan(path.startsWith('project/') ? {} : { workspace: at('user') })
  expect(mounts).toContainEqual({ path: join(at('user'), path), as: 'fixed', isFolder: true })
})

test('a folder to write to that lies in a hidden one is not offered, the workspace in one is', () => {
  const mounts = [
    { path: '/home/ann/.agent', as: 'hidden', isFolder: true },
    { path: '/home/ann/.agent/cache', as: 'writable', isFolder: true },
    { path: '/home/ann/.agent/workspace', as: 'writable', isFolder: true },
  ] as const
  const planned = { workspace: '/home/ann/.agent/workspace', temporary: '/t', network: true, mounts }
  expect(stopOf(planned, 'cp: /usr/x: Read-only file system')).toContain('write to /home/ann/.agent/workspace, /tmp and')
})

test.each([
  ['cannot connect to /run/docker.sock: No such file or directory', /does not show the sockets of services/],
  ['mount: only root can do that: Operation not permitted', /takes the rights of root/],
  ['bash: thing failed', undefined],
  ['cat: /tmp/a: No such file or directory', /has its own \/tmp/],
  ['cat: /var/tmp/a: No such file or directory', /has its own \/tmp/],
  ['cat: /opt/a: No such file or directory', undefined],
  ['wrote /tmp/a\ncat: /opt/a: No such file or directory', undefined],
  ['make: gcc: not found', undefined],
])('%s', (output, words) => {
  const said = stopOf(plan(), output)
  if (words) expect(said).toMatch(words)
  else expect(said).toBeUndefined()
})

test('on macOS what is fixed can be read, what is hidden cannot, and what is writable can be written', () => {
  const mounts = [
    { path: '/w', as: 'writable', isFolder: true },
    { path: '/w/.env', as: 'fixed', isFolder: false },
    { path: '/w/keys', as: 'hidden', isFolder: true },
    { path: '/w/shown', as: 'readable', isFolder: true },
  ] as const
  const profile = formatSeatbeltProfile({ workspace: '/w', temporary: '/t', network: true, mounts }).split('\n')
  expect(profile).toContain('(allow file-read* file-write* (subpath "/w"))')
  expect(profile).toContain('(deny file-write* (literal "/w/.env"))')
  expect(profile).toContain('(deny file-read* file-write* (subpath "/w/keys"))')
  expect(profile).toContain('(allow file-read* (subpath "/w/shown"))')
  expect(profile).not.toContain('(deny network*)')
})

test('no command sees what of the machine root alone may read, or the doors that give it away', () => {
  expect(hiddenOf('/home/ann')).toEqual(expect.arrayContaining(['/home/ann/.ssh', '/etc/shadow', '/var/lib/lxd/unix.socket']))
})

test('on macOS a path is quoted, temporary files have their folder, and signals stay inside', () => {
  const mounts = [{ path: '/w "x" \\y', as: 'writable', isFolder: true }] as const
  const profile = formatSeatbeltProfile({ workspace: '/w', temporary: '/t', network: false, mounts }).split('\n')
  expect(profile[0]).toBe('(version 1)')
  expect(profile).toEqual(
    expect.arrayContaining([
      '(allow file-read* file-write* (subpath "/w \\"x\\" \\\\y"))',
      '(allow file-write* (subpath "/t") (subpath "/dev"))',
      '(deny signal)',
      '(deny network*)',
    ]),
  )
})
