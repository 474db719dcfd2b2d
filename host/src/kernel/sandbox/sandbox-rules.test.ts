import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { explainStop } from './explain-stop.ts'
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

const stopOf = (planned: SandboxPlan, output: string, command = 'make'): string | undefined =>
  explainStop(planned, at('user'), { session: 's', workspace: at('user/project'), command, output, failed: true } as never)

test('a command that met a read-only file is told where it may write', () => {
  expect(stopOf(plan(), 'cp: /usr/x: Read-only file system')).toBe(
    `The sandbox lets commands write to ${at('user/project')}, /tmp and nowhere else; terminal.writable adds folders.`,
  )
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
  ] as const
  const profile = formatSeatbeltProfile({ workspace: '/w', temporary: '/t', network: true, mounts }).split('\n')
  expect(profile).toContain('(allow file-read* file-write* (subpath "/w"))')
  expect(profile).toContain('(deny file-write* (literal "/w/.env"))')
  expect(profile).toContain('(deny file-read* file-write* (subpath "/w/keys"))')
  expect(profile).not.toContain('(deny network*)')
})
