import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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

const argumentsOf = (view: Partial<SandboxView>): readonly string[] =>
  formatSandboxArguments({ flags: ['--flag'] }, { reads: [], writes: [], cwd: place, ...view })
/** The place that each mount is for, in order. */
const placesOf = (view: Partial<SandboxView>): readonly string[] => {
  const words = argumentsOf(view)
  return words.flatMap((word, at) => {
    if (['--tmpfs', '--dev', '--proc'].includes(word)) return [words[at + 1] ?? '']
    return ['--ro-bind', '--bind', '--ro-bind-try', '--symlink'].includes(word) ? [words[at + 2] ?? ''] : []
  })
}

test('what is mounted later lies over what was mounted before: the shorter paths come first', () => {
  const lengths = placesOf({ reads: [at('seen')], writes: [at('data')], door: place }).map((path) => path.length)
  expect(lengths).toEqual([...lengths].sort((left, right) => left - right))
  expect(lengths.length).toBeGreaterThan(20)
})

test('programs and what they look up are there, and folders that end with the sandbox', () => {
  const places = placesOf({})
  for (const path of ['/usr', '/bin', '/lib', '/etc/passwd', '/etc/hosts', '/dev', '/proc', '/proc/sys', '/run', '/dev/shm', '/tmp'])
    expect(places).toContain(path)
  expect(places.filter((path) => !path.startsWith('/'))).toEqual([])
  expect(textOf({})).toContain('--size 67108864 --tmpfs /tmp ')
  expect(textOf({})).toContain('--dev /dev ')
  expect(places).not.toContain('/run/egress')
  const system = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'].filter((path) => existsSync(path))
  for (const path of system)
    expect(textOf({})).toContain(
      lstatSync(path).isSymbolicLink() ? `--symlink ${readlinkSync(path)} ${path} ` : `--ro-bind ${path} ${path} `,
    )
})

test('flags come first, a pipe for its status where one is wished for, and the folder where it starts at the end', () => {
  expect(argumentsOf({})[0]).toBe('--flag')
  expect(textOf({})).not.toContain('--json-status-fd')
  expect(textOf({ statusPipe: 4 })).toContain('--json-status-fd 4 ')
  expect(argumentsOf({}).slice(-4)).toEqual(['--remount-ro', '/', '--chdir', place])
})

test('who is shown all of the disk beside other folders has no second set of programs, and may mount in it', () => {
  const all = textOf({ reads: ['/', at('seen')] })
  expect(all).toContain('--ro-bind / / ')
  expect(all).not.toContain('--ro-bind-try /usr /usr ')
  expect(all).not.toContain('--remount-ro / ')
  const old = lstatSync('/var/run', { throwIfNoEntry: false })?.isDirectory() === true
  expect(all.includes('--tmpfs /var/run ')).toBe(old)
})

test('what is hidden outside of everything that is shown needs no cover', () => {
  const view = { reads: [at('seen')], writes: [at('data')], hidden: [place, at('seen/key'), at('absent')] }
  expect(placesOf(view)).toContain(at('seen/key'))
  expect(placesOf(view)).not.toContain(place)
  expect(placesOf(view)).not.toContain(at('absent'))
})
