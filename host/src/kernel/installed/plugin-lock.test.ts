import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileListOf, formatPluginLock, readPluginLock, storeFolder, storeOf } from './plugin-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const hash = 'a'.repeat(64)
const version = {
  ...{ spec: 'dice@^1', package: 'dice', version: '1.2.3-beta.1+x', resolved: 'https://r.test/dice.tgz', registry: '' },
  ...{ integrity: 'sha512-abc', files: hash, manifest: hash, entries: { 'dist/toolset.js': hash }, dependencies: {} },
  ...{ surface: { contributions: [] }, surfaceHash: hash, consent: { hash, at: '2026-01-01' }, installedAt: '2026-01-01' },
}
const entry = { ...version, previous: null }

function read(plugins: unknown, lockVersion: unknown = 1) {
  const file = join(folder, 'plugins.lock.json')
  writeFileSync(file, JSON.stringify({ lockVersion, plugins }))
  return readPluginLock(file)
}
const problemOf = (change: object): string | undefined => read({ dice: { ...entry, ...change } }).broken.get('dice')?.problem

test('what is whole is read, an older version with it', () => {
  const { plugins, broken, damaged } = read({ dice: entry, note: { ...entry, previous: version } })
  expect([[...plugins.keys()], broken.size, damaged]).toEqual([['dice', 'note'], 0, undefined])
  expect(plugins.get('note')).toEqual({ ...entry, previous: version })
})

test('no file is an empty lock; one that nobody can read is damaged, whatever is wrong with it', () => {
  expect(readPluginLock(join(folder, 'none.json'))).toEqual({ plugins: new Map(), broken: new Map(), damaged: undefined })
  expect(readPluginLock(folder).damaged).toContain('is a folder and no file')
  expect(read({}, 2).damaged).toBe('lockVersion is 2, this version knows 1')
  for (const text of ['null', '[1]', '"x"', '{"lockVersion":1']) {
    writeFileSync(join(folder, 'bad.json'), text)
    expect(readPluginLock(join(folder, 'bad.json')).damaged, text).toEqual(expect.any(String))
  }
  for (const plugins of [undefined, null, 'x']) expect(read(plugins)).toMatchObject({ plugins: new Map(), damaged: undefined })
})

test.each([
  ...['spec', 'package', 'resolved', 'installedAt'].flatMap((name) => [
    [name, ''],
    [name, 7],
  ]),
  ...['1.2', 'v1.2.3', '1.2.3 or later', 7].map((value) => ['version', value]),
  ...[7, undefined].map((value) => ['registry', value]),
  ...['sha1-abc', 7].map((value) => ['integrity', value]),
  ...['files', 'manifest', 'surfaceHash'].flatMap((name) => [
    [name, `${hash}a`],
    [name, ` ${hash}`],
    [name, 7],
  ]),
  ...[[], null, { 'dist/x.js': 'short' }].map((value) => ['entries', value]),
  ...[[], null, 'x'].flatMap((value) => [
    ['dependencies', value],
    ['surface', value],
  ]),
  ...[null, {}, { hash }, { hash: 'short', at: 'x' }, { hash, at: '' }].map((value) => ['consent', value]),
] as [string, unknown][])('%s that is %j is named, and the entry is kept as it is', (name, value) => {
  const change = { [name]: value }
  const word = value === undefined ? 'missing' : 'not what it should be'
  expect(problemOf(change)).toBe(`${name} is ${word}`)
  const older = read({ dice: { ...entry, previous: { ...version, ...change } } })
  expect(older.broken.get('dice')?.problem).toBe(`previous.${name} is ${word}`)
  expect(JSON.parse(formatPluginLock(older)).plugins.dice.previous).toEqual(JSON.parse(JSON.stringify({ ...version, ...change })))
})

test('an entry that is nothing, and an id that no plugin can have, are broken', () => {
  expect(read({ dice: null }).broken.get('dice')?.problem).toBe('spec is missing')
  expect(read({ dice: { ...version } }).broken.get('dice')?.problem).toBe('previous.spec is missing')
  for (const id of ['../dice', 'Dice', '-dice', 'dice/x'])
    expect(read({ [id]: entry }).broken.get(id)?.problem).toBe('no plugin can have this id')
})

test('a lock is written in the order of the ids, and places follow from it', () => {
  const text = formatPluginLock(read({ note: entry, dice: entry, also: null }))
  expect(Object.keys(JSON.parse(text).plugins)).toEqual(['also', 'dice', 'note'])
  expect(text.endsWith('}\n')).toBe(true)
  expect(storeOf('/home/plugins/plugins.lock.json')).toBe('/home/plugins/store')
  expect(storeFolder('/store', 'dice', { version: '1.2.3', files: hash })).toBe('/store/dice/1.2.3-aaaaaaaa')
  expect(fileListOf('/store/dice/1.2.3-aaaaaaaa')).toBe('/store/dice/1.2.3-aaaaaaaa.sha256')
})
