import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveDeclared } from './declared-paths.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'declared-')))
  for (const name of ['work', 'data', 'home/workspace', 'person/.ssh', 'music']) mkdirSync(join(folder, name), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const resolve = (read: readonly string[], write: readonly string[] = [], workspace = join(folder, 'work')) => {
  const fs = { value: { read: [...read], write: [...write] }, reason: 'made up' }
  const found = resolveDeclared(fs, { workspace, data: [join(folder, 'data')], homes: [join(folder, 'home')] })
  return JSON.parse(JSON.stringify(found).replaceAll(folder, '')) as typeof found
}
const at = (path: string): string => join(folder, path)

test('paths are real ones; $workspace is a place, and other words stand for nothing', () => {
  symlinkSync(at('music'), at('link'))
  expect(resolve([at('link'), 'relative', '$home', '$workspace'], [at('person/../music')])).toEqual({
    reads: ['/music', '/work'],
    writes: ['/music'],
    warnings: [],
  })
})

test.each<[string, string, string, readonly string[]]>([
  ['the workspace', 'work/sub', '$workspace/sub', []],
  ['the data of the plugin', 'data/sub', 'data/sub', []],
  ['a folder that it writes', 'music/sub', 'music/sub', ['music']],
  ['deep in one', 'music/sub', 'music/sub/.ssh', ['music']],
])('a link that lies in %s leads nowhere', (_name, link, declared, writes) => {
  symlinkSync(at(declared.endsWith('.ssh') ? 'person' : 'person/.ssh'), at(link))
  const path = declared.startsWith('$') ? declared : at(declared)
  for (const found of [resolve([path], writes.map(at)), resolve([], [path, ...writes.map(at)])]) {
    expect([...found.reads, ...found.writes]).not.toContain('/person/.ssh')
    expect(found.warnings).toEqual([expect.stringMatching(/which is not shown to it: \/\w+\/sub is a link in a folder to which plugins/)])
  }
})

test('a link to a folder that it writes does not make that folder another one', () => {
  symlinkSync(at('music'), at('alias'))
  symlinkSync(at('person/.ssh'), at('music/sub'))
  expect(resolve([at('alias/sub')], [at('music')]).reads).toEqual([])
})

test.each(['/proc', '/proc/self/root/etc', '/dev/shm', '/run', '/run/user/1000', '/var/run/docker.sock', '/tmp', tmpdir()])(
  '%s is where other programs are',
  (path) => {
    const { reads, warnings } = resolve([path])
    expect([reads, warnings]).toEqual([[], [expect.stringMatching(/other programs are there/)]])
  },
)

test('what the agent has in the folder for temporary files belongs to nobody else', () => {
  const own = mkdtempSync(join(tmpdir(), 'agent-door-'))
  try {
    expect(resolve([own]).reads).toEqual([])
  } finally {
    rmSync(own, { recursive: true })
  }
})

test('of the home of the agent there is the workspace, where that lies in it', () => {
  writeFileSync(at('home/.env'), 'SECRET=1')
  const { reads, warnings } = resolve([at('home'), at('home/.env'), '$workspace'], [], at('home/workspace'))
  expect(reads).toEqual(['/home/workspace'])
  expect(warnings).toEqual(
    ['/home', '/home/.env'].map((path) => `it declares ${path}, which is not shown to it: it lies in the home of the agent`),
  )
})

test('who is shown all around the workspace is shown the workspace, wherever that lies', () => {
  expect(resolve(['/'])).toMatchObject({ reads: ['/', '/work'], writes: [] })
  expect(resolve(['/'], [at('')])).toMatchObject({ reads: ['/'], writes: ['', '/work'] })
})

test('what is to be written is made: a file where its name has an extension, else a folder; what is to be read is not', () => {
  const found = resolve([at('absent')], [at('new/notes.md'), at('new/out'), at('new/v1.2/'), '$workspace/out'])
  expect(found.writes).toEqual(expect.arrayContaining(['/new/notes.md', '/new/out', '/new/v1.2', '/work/out']))
  expect(found.warnings).toEqual([
    'it declares /absent, which is not shown to it: it does not exist yet; the next start of the plugin looks again',
  ])
  expect([statSync(at('new/notes.md')).size, statSync(at('new/out')).isDirectory(), statSync(at('new/v1.2')).isDirectory()]).toEqual([
    0,
    true,
    true,
  ])
  expect(existsSync(at('absent'))).toBe(false)
})

test('what cannot be made is told', () => {
  writeFileSync(at('file'), '')
  const { writes, warnings } = resolve([], [at('file/below')])
  expect([writes, warnings]).toEqual([[], [expect.stringMatching(/^it declares \/file\/below, .*(ENOTDIR|EEXIST)/)]])
})

test('links in a circle are told', () => {
  symlinkSync(at('two'), at('one'))
  symlinkSync(at('one'), at('two'))
  expect(resolve([at('one')]).warnings).toEqual([expect.stringMatching(/leads in a circle/)])
})

test('forty links lead somewhere, and what declares no files is shown none', () => {
  symlinkSync(at('music'), at('l1'))
  for (let count = 2; count <= 41; count++) symlinkSync(at(`l${count - 1}`), at(`l${count}`))
  expect(resolve([at('l40')]).reads).toEqual(['/music'])
  expect(resolve([at('l41')]).warnings).toEqual([expect.stringMatching(/leads in a circle/)])
  expect(resolveDeclared(undefined, { workspace: at('work'), data: [], homes: [] })).toEqual({ reads: [], writes: [], warnings: [] })
})

test('a link is followed from where it lies, or from the root; what it says twice is said once', () => {
  mkdirSync(at('music/album'))
  symlinkSync('./music//album', at('near'))
  symlinkSync('../music/album', at('person/far'))
  symlinkSync(at('music'), at('whole'))
  for (const path of ['near', 'person/far', 'whole/album', 'whole//./album']) expect(resolve([at(path)]).reads).toEqual(['/music/album'])
})

test('a home is kept from a plugin, whichever of several it is', () => {
  mkdirSync(at('second/secrets'), { recursive: true })
  const homesOf = (path: string): readonly string[] =>
    resolveDeclared(
      { value: { read: [at(path)], write: [] }, reason: 'made up' },
      { workspace: at('work'), data: [at('data')], homes: [at('home'), at('second')] },
    ).warnings
  for (const path of ['home', 'second/secrets']) expect(homesOf(path)).toEqual([expect.stringContaining('in the home of the agent')])
  expect(homesOf('music')).toEqual([])
})

test('a file to be written is made with the folders around it, and one that is there keeps what it holds', () => {
  writeFileSync(at('music/kept.txt'), 'song')
  expect(resolve([], [at('new/deep/list.txt'), at('music/kept.txt')]).warnings).toEqual([])
  expect([statSync(at('new/deep/list.txt')).size, statSync(at('music/kept.txt')).size]).toEqual([0, 4])
})
