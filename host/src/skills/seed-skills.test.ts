import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Home, openHome } from '#config/home/home.ts'
import { formatFileList, hashFiles, hashOf } from '#kernel/installed/plugin-files.ts'
import { isSeeded, removeSeeded, type Seeded, seedSkills, unchangedSkills } from './seed-skills.ts'

let folder: string
let home: Home
let shipped: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seed-'))
  home = openHome({ environment: { AGENT_HOME: join(folder, 'home') } })
  shipped = join(folder, 'shipped')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** What a version of the program brings: texts by the folders of their skills. */
function ship(texts: Readonly<Record<string, string>>): void {
  rmSync(shipped, { recursive: true, force: true })
  const skills: Record<string, string> = {}
  for (const [path, text] of Object.entries(texts)) {
    write(join(shipped, path, 'SKILL.md'), text)
    skills[path] = hashOfFolder(join(shipped, path))
  }
  write(join(shipped, 'manifest.json'), JSON.stringify({ set: JSON.stringify(skills), skills }))
}
const hashOfFolder = (path: string): string => hashOf(formatFileList(hashFiles(path)))
const seed = (): Seeded => seedSkills({ shipped, home })
const mine = (path: string): string => join(home.files.skills, path, 'SKILL.md')
const textOf = (path: string): string | undefined => (existsSync(mine(path)) ? readFileSync(mine(path), 'utf8') : undefined)

test('a new home gets all of them, and is then known to have them', () => {
  ship({ 'a/one': '1', 'b/two': '2' })
  expect(isSeeded({ shipped, home })).toBe(false)
  expect(seed()).toEqual({ added: ['a/one', 'b/two'], updated: [], kept: [] })
  expect([textOf('a/one'), textOf('b/two')]).toEqual(['1', '2'])
  expect(isSeeded({ shipped, home })).toBe(true)
  expect(seed()).toEqual({ added: [], updated: [], kept: [] })
})

test('through six versions what a person changed, deleted or made stays, and the rest is brought up to date', () => {
  ship({ 'a/plain': 'v1', 'a/edited': 'v1', 'a/deleted': 'v1', 'a/more': 'v1' })
  seed()
  write(mine('a/edited'), 'mine')
  rmSync(join(home.files.skills, 'a', 'deleted'), { recursive: true })
  write(join(home.files.skills, 'a', 'more', 'notes.md'), 'added by me')
  write(mine('own/late'), 'made by me')
  for (const version of ['v2', 'v3', 'v4', 'v5', 'v6']) {
    ship({ 'a/plain': version, 'a/edited': version, 'a/deleted': version, 'a/more': version, 'a/late': version })
    expect(seed()).toEqual({ added: [], updated: ['a/plain'], kept: ['a/edited', 'a/more', 'a/late'] })
    expect(textOf('a/plain')).toBe(version)
    expect(textOf('a/edited')).toBe('mine')
    expect(textOf('a/deleted')).toBeUndefined()
    expect(textOf('a/more')).toBe('v1')
    expect(textOf('own/late')).toBe('made by me')
    expect(textOf('a/late')).toBeUndefined()
  }
})

test('a skill that was changed back is brought up to date again', () => {
  ship({ 'a/one': 'v1' })
  seed()
  write(mine('a/one'), 'mine')
  ship({ 'a/one': 'v2' })
  expect(seed().kept).toEqual(['a/one'])
  write(mine('a/one'), 'v1')
  ship({ 'a/one': 'v3' })
  expect(seed().updated).toEqual(['a/one'])
})

test('what the program brings no more stays', () => {
  ship({ 'a/one': 'v1', 'a/two': 'v1' })
  seed()
  ship({ 'a/two': 'v1' })
  seed()
  expect(textOf('a/one')).toBe('v1')
})

test('a crash before the list was written makes no skill of the program a person’s', () => {
  ship({ 'a/one': 'v1' })
  seed()
  rmSync(home.files.bundledSkills)
  seed()
  ship({ 'a/one': 'v2' })
  expect(seed().updated).toEqual(['a/one'])
})

test('a crash while a skill was exchanged loses neither the old one nor the new one', () => {
  ship({ 'a/one': 'v1' })
  seed()
  renameSync(join(home.files.skills, 'a', 'one'), join(home.files.skills, 'a', '.one.former'))
  write(join(home.files.skills, 'a', '.one.new', 'SKILL.md'), 'ha')
  ship({ 'a/one': 'v2' })
  expect(seed().updated).toEqual(['a/one'])
  expect(textOf('a/one')).toBe('v2')
  expect(readdirSync(join(home.files.skills, 'a'))).toEqual(['one'])
})

test('where a skill cannot be copied nothing of it is left, and the old one stays', () => {
  ship({ 'a/one': 'v1' })
  seed()
  ship({ 'a/one': 'v2' })
  rmSync(join(shipped, 'a', 'one'), { recursive: true })
  expect(seed).toThrow()
  expect(textOf('a/one')).toBe('v1')
  expect(readdirSync(join(home.files.skills, 'a'))).toEqual(['one'])
  expect(isSeeded({ shipped, home })).toBe(false)
})

test('a home that wants none counts as done', () => {
  ship({ 'a/one': 'v1' })
  write(home.files.noBundledSkills, '')
  expect(isSeeded({ shipped, home })).toBe(true)
})

test('only what nobody has changed can be removed, and comes again', () => {
  ship({ 'a/one': 'v1', 'a/two': 'v1' })
  seed()
  write(mine('a/two'), 'mine')
  expect(unchangedSkills(home)).toEqual(['a/one'])
  removeSeeded(home, unchangedSkills(home))
  expect([textOf('a/one'), textOf('a/two')]).toEqual([undefined, 'mine'])
  expect(seed()).toEqual({ added: ['a/one'], updated: [], kept: ['a/two'] })
})

test('a spoilt list is an empty one: what lies in the home is then compared by its files', () => {
  ship({ 'a/one': 'v1' })
  seed()
  write(home.files.bundledSkills, '{')
  expect(unchangedSkills(home)).toEqual([])
  expect(seed()).toEqual({ added: [], updated: [], kept: [] })
  expect(unchangedSkills(home)).toEqual(['a/one'])
})

test('a listed path that leads elsewhere counts for nothing', () => {
  const elsewhere = join(home.path, 'x', 'y')
  write(join(elsewhere, 'SKILL.md'), 'mine')
  write(home.files.bundledSkills, JSON.stringify({ set: 's', skills: { '../x/y': hashOfFolder(elsewhere), 'a/two': 1 } }))
  expect(unchangedSkills(home)).toEqual([])
})
