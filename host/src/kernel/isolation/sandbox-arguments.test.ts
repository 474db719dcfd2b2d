import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatSandboxArguments, type SandboxView } from './sandbox-arguments.ts'

let place = ''
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'view-')))
  mkdirSync(join(place, 'data/deep/keys'), { recursive: true })
  mkdirSync(join(place, 'seen/deep/keys'), { recursive: true })
  writeFileSync(join(place, 'seen/key'), '')
})
afterEach(() => rmSync(place, { recursive: true }))
const at = (path: string): string => join(place, path)

const textOf = (view: Partial<SandboxView>): string =>
  `${formatSandboxArguments({ flags: [] }, { reads: [], writes: [], cwd: place, ...view }).join(' ')} `

test('a process gets names and certificates of the machine, and the servers of names only with its network', () => {
  const alone = textOf({})
  expect(alone).toContain('--ro-bind-try /etc/ssl /etc/ssl ')
  expect(alone).toContain('--unshare-net')
  expect(alone).not.toContain('resolv.conf')
  const online = textOf({ network: true })
  expect(online).toContain('--ro-bind-try /etc/resolv.conf /etc/resolv.conf ')
  expect(online).not.toContain('--unshare-net')
})

test('who is shown all of the disk sees no folder where programs meet', () => {
  const all = textOf({ reads: ['/'] })
  for (const folder of ['/tmp', realpathSync(tmpdir()), '/run', '/dev/shm']) expect(all).toContain(`--tmpfs ${folder} `)
  expect(all).toContain('--ro-bind /sys /sys ')
})

test('what is hidden in a folder to write to keeps its way, and in one to read needs none', () => {
  const written = textOf({ writes: [at('data')], hidden: [at('data/deep/keys')] })
  expect(written).toContain(`--bind ${at('data/deep')} ${at('data/deep')} `)
  expect(written).toContain(`--tmpfs ${at('data/deep/keys')} `)
  expect(written).not.toContain(`--bind ${place} `)
  const read = textOf({ reads: [at('seen')], hidden: [at('seen/deep/keys'), at('seen/key')] })
  expect(read).not.toContain(`--bind ${at('seen/deep')} `)
  expect(read).toContain(`--tmpfs ${at('seen/deep/keys')} `)
  expect(read).toContain(`--ro-bind /dev/null ${at('seen/key')} `)
})

test('the folder that decides about a hidden one is the nearest that is shown', () => {
  const inner = textOf({ writes: [at('data')], reads: [at('data/deep')], hidden: [at('data/deep/keys')] })
  expect(inner).toContain(`--ro-bind ${at('data/deep')} ${at('data/deep')} `)
  expect(inner).not.toContain(` --bind ${at('data/deep')} `)
})

test('the nearest decides also where it is written and what is around it is read; what is not there is not shown', () => {
  const inner = textOf({ reads: [place, at('absent')], writes: [at('seen')], hidden: [at('seen/deep/keys')] })
  expect(inner).toContain(`--bind ${at('seen/deep')} ${at('seen/deep')} `)
  expect(inner).not.toContain('absent')
})
