import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { openHomeSkills } from './home-skills.ts'

let folder: PluginFolder
beforeEach(() => {
  folder = openPluginFolder()
})
afterEach(() => folder[Symbol.dispose]())

const skillText = (name: string, from: string): string => `---\nname: ${name}\ndescription: ${name} of ${from}.\n---\nDo it.\n`
const manifest = (id: string, names: readonly string[]) => ({
  ...{ id, api: { skills: 1 } },
  contributes: { skills: names.map((name) => ({ id: name, path: `skills/${name}` })) },
})

/** A pack that came with the program. */
function addPack(id: string, ...names: string[]): string {
  const root = folder.add('bundled', manifest(id, names))
  for (const name of names) folder.write(join(root, 'skills', name, 'SKILL.md'), skillText(name, id))
  return root
}

const home = () => homeOf(folder.home, 'default')

async function load(settings: object = {}): Promise<{ readonly catalog: Catalog; readonly offered: readonly string[] }> {
  const log = { warn: () => undefined }
  const own = openHomeSkills({ home: home(), safeMode: false, log })
  const homeSkills = async () => new Map((await own.index()).skills.map((skill) => [skill.name, skill.folder]))
  const catalog = await folder.load({ homeSkills, settings: { entries: {}, deny: [], ...settings } })
  const list = await openHomeSkills({ home: home(), catalog, safeMode: false, log }).list()
  return { catalog, offered: list.map(({ description }) => description) }
}

test('skills of plugins stand beside those of the home; of a plugin that is off there are none', async () => {
  addPack('skills-a', 'tea')
  addPack('skills-b', 'soup')
  folder.write(join(home().files.skills, 'walk', 'SKILL.md'), skillText('walk', 'home'))
  expect((await load()).offered).toEqual(['walk of home.', 'tea of skills-a.', 'soup of skills-b.'])
  const off = await load({ entries: { 'skills-a': { enabled: false } } })
  expect(off.offered).toEqual(['walk of home.', 'soup of skills-b.'])
})

test('of one name the home comes first, then the plugin that comes first; the others are told why', async () => {
  addPack('skills-a', 'tea', 'soup')
  addPack('skills-b', 'soup', 'cake')
  const own = join(home().files.skills, 'tea')
  folder.write(join(own, 'SKILL.md'), skillText('tea', 'home'))
  const { catalog, offered } = await load()
  expect(offered).toEqual(['tea of home.', 'soup of skills-a.', 'cake of skills-b.'])
  const reasons = (id: string) => catalog.plugin(id)?.contributions.map(({ reason }) => reason)
  expect(reasons('skills-a')).toEqual([{ code: 'skill-taken', text: expect.stringContaining(own), fix: expect.any(String) }, undefined])
  expect(reasons('skills-b')).toEqual([
    { code: 'skill-taken', text: 'skills-a has a skill of that name, and comes first', fix: 'agent plugins disable skills-a' },
    undefined,
  ])
  expect(catalog.plugin('skills-b')?.state).toBe('ready')
})

test('a skill that is not what its manifest says is left out', async () => {
  const root = addPack('skills-a', 'tea')
  writeFileSync(join(root, 'skills', 'tea', 'SKILL.md'), skillText('coffee', 'nobody'))
  expect((await load()).offered).toEqual([])
})

test('a skill that lies outside of its plugin blocks the plugin', async () => {
  const root = folder.link(manifest('skills-a', ['tea']))
  folder.write(join(folder.root, 'elsewhere', 'SKILL.md'), skillText('tea', 'elsewhere'))
  folder.write(join(root, 'skills', 'x'), '')
  symlinkSync(join(folder.root, 'elsewhere'), join(root, 'skills', 'tea'))
  const { catalog, offered } = await load()
  expect([catalog.plugin('skills-a')?.reason?.code, offered]).toEqual(['path-outside', []])
})

test('instructions that were changed after they were installed are not given to the agent', async () => {
  const root = folder.install(manifest('skills-a', ['tea']))
  const on = { entries: { 'skills-a': { enabled: true } } }
  expect((await load(on)).catalog.plugin('skills-a')?.state).toBe('ready')
  writeFileSync(join(root, 'skills', 'tea', 'SKILL.md'), skillText('tea', 'a stranger'))
  const { catalog, offered } = await load(on)
  expect([catalog.plugin('skills-a')?.reason?.code, offered]).toEqual(['integrity-modified', []])
})
