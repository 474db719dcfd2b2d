import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openPluginFolder, toolsetOf } from '../testing/plugin-folder.ts'
import { checkInstalled, entriesOf } from './check-installed.ts'
import { hashOf } from './plugin-files.ts'
import { fileListOf, type LockedPlugin, readPluginLock } from './plugin-lock.ts'

const entry = 'dist/toolset.js'
const wrong = hashOf('wrong')

function open() {
  const folder = openPluginFolder()
  const root = folder.install({ id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  const locked = readPluginLock(join(folder.home, 'plugins', 'plugins.lock.json')).plugins.get('toolset-mine')
  if (!locked) throw new Error('the made-up plugin is not in the lock')
  /** What is said of it, as a code and its words. */
  const told = (change: Partial<LockedPlugin> = {}, id = 'toolset-mine'): string | undefined => {
    const reason = checkInstalled(root, id, { ...locked, ...change })
    return reason && `${reason.code} ${reason.text}`
  }
  return { root, locked, told, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('what is as it was installed, and as the lock has it, is good', () => {
  using world = open()
  expect(world.told()).toBeUndefined()
})

test.each([['agent.plugin.json'], [entry]])('%s that was changed or removed is named', (path) => {
  using world = open()
  const file = join(world.root, path)
  appendFileSync(file, ' ')
  expect(world.told()).toBe(`integrity-modified ${file} is not the file that was installed`)
  rmSync(file)
  expect(world.told()).toBe(`integrity-modified ${file} is not the file that was installed`)
})

test('a hash of the lock that is not that of the file which was installed says that the lock was changed', () => {
  using world = open()
  const { root, told } = world
  const inLock = /^lock-mismatch .*its hash of .* is not that of the file that was installed$/
  expect(told({ manifest: wrong })).toMatch(inLock)
  expect(told({ entries: { [entry]: wrong } })).toMatch(inLock)
  // Only a list that belongs to the folder says what was installed.
  const list = readFileSync(fileListOf(root), 'utf8')
  writeFileSync(fileListOf(root), `${list}${wrong}  other.js\n`)
  expect(told({ manifest: wrong })).toMatch(/^integrity-modified/)
  rmSync(fileListOf(root))
  expect(told({ manifest: wrong })).toMatch(/^integrity-modified/)
  expect(told()).toBeUndefined()
})

test.each<[string, (locked: LockedPlugin) => Partial<LockedPlugin>, string?]>([
  ['the manifest names another plugin, toolset-mine', () => ({}), 'toolset-other'],
  ['the manifest says version 1.0.0, not 2.0.0', () => ({ version: '2.0.0' })],
  [`it has no hash of ${entry}`, () => ({ entries: {} })],
  ['its surface is not what the manifest declares', ({ surface }) => ({ surface: { ...surface, tools: [] } })],
  ['its surfaceHash is not that of its surface', () => ({ surfaceHash: wrong })],
  ['nobody has agreed to what the manifest declares', ({ consent }) => ({ consent: { ...consent, hash: wrong } })],
])('a lock that a hand has changed is told: %s', (problem, change, id) => {
  using world = open()
  expect(world.told(change(world.locked), id)).toBe(`lock-mismatch plugins.lock.json was changed by hand: ${problem}`)
})

test('a version that is not in the store is missing, unless another one stands in its place that the lock does not know', () => {
  using world = open()
  const { root, told } = world
  rmSync(root, { recursive: true })
  const missing = `store-missing ${root} is not there any more`
  expect(told()).toBe(missing)
  const previous = { version: '0.9.0', files: wrong } as LockedPlugin['previous']
  mkdirSync(join(dirname(root), `0.9.0-${wrong.slice(0, 8)}`))
  expect(told({ previous })).toBe(missing)
  expect(told()).toMatch(/^lock-mismatch .*version 1\.0\.0 of it is not in the store, another one is$/)
  rmSync(dirname(root), { recursive: true })
  expect(told()).toBe(missing)
})

test('what a manifest begins with is listed once and in order, whatever else stands in it', () => {
  const contributes = {
    ...toolsetOf('mine'),
    platforms: [
      { id: 'b', entry: 'dist/platform.js' },
      { id: 'c', entry },
      { id: 'd', entry: 7 },
    ],
    skills: [{ id: 'dice', path: 'skills/dice' }, { id: 'note' }],
    moods: 'good',
  }
  expect(entriesOf({ contributes })).toEqual(['dist/platform.js', entry, 'skills/dice/SKILL.md'])
  expect(entriesOf({})).toEqual([])
})
