import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLiveLoaded } from '#config/file/live-loaded.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { openPluginFolder, type PluginFolder, toolsetOf } from '#kernel/testing/plugin-folder.ts'
import { loadHomeCatalog } from '../home-catalog.ts'
import { createGenerations, type Generations } from './generations.ts'

let folder: PluginFolder
let work: string
beforeEach(() => {
  folder = openPluginFolder()
  work = folder.link({ id: 'linked', contributes: toolsetOf('linked') as never })
  folder.write(join(work, 'dist', 'toolset.js'), 'one')
  folder.add('local', { id: 'calm', contributes: toolsetOf('calm') as never })
  folder.add('local', { id: 'other', contributes: toolsetOf('other') as never })
  settings(['linked', 'calm', 'other'])
})
afterEach(() => folder[Symbol.dispose]())

/** Writes config.yaml: who is on, and what `calm` is told. */
function settings(on: readonly string[], wish = 1): void {
  const entries = on.map((id) => `    ${id}: { enabled: true${id === 'calm' ? `, memory_mb: ${wish + 99}` : ''} }`)
  folder.write(join(folder.home, 'config.yaml'), `plugins:\n  entries:\n${entries.join('\n')}\n`)
}

async function read() {
  const environment = { AGENT_HOME: folder.home }
  const home = openHome({ environment })
  const loaded = await loadConfig(home, environment)
  const catalog = await loadHomeCatalog({
    ...{ installRoot: join(folder.root, 'install'), home, loaded, quarantine: { get: async () => undefined } },
  })
  return { loaded, catalog }
}

async function open(): Promise<Generations> {
  const first = await read()
  return createGenerations({ live: createLiveLoaded(first.loaded), catalog: first.catalog, read })
}

const toolset = ({ catalog }: Pick<Generations, 'catalog'>, id: string): Contribution<'toolset'> => {
  const found = catalog.find('toolset', id)
  if (!found) throw new Error(`${id} is not ready`)
  return found
}
const memoryOf = ({ config }: Loaded, id: string): unknown => config.plugins.entries[id]?.memory_mb

test('where nothing has changed nothing is new, and everything stays the same object', async () => {
  const generations = await open()
  const before = toolset(generations, 'calm')
  const candidate = await generations.prepare()
  expect(candidate.changes).toEqual([])
  expect(generations.number()).toBe(1)
  generations.adopt(candidate, new Set())
  expect(generations.number()).toBe(2)
  expect(toolset(generations, 'calm')).toBe(before)
  expect((await generations.prepare()).changes).toEqual([])
})

test('the file of a link that was built again is a change, that of what is installed is read no second time', async () => {
  const generations = await open()
  const before = toolset(generations, 'linked')
  folder.write(join(work, 'dist', 'toolset.js'), 'two')
  const candidate = await generations.prepare()
  expect(candidate.changes).toMatchObject([{ key: 'toolset:linked', type: 'changed', before }])
  generations.adopt(candidate, new Set())
  expect(toolset(generations, 'linked')).not.toBe(before)
  expect((await generations.prepare()).changes).toEqual([])
})

test('what changed lives with its new settings once it is tried; what goes on keeps those with which it began', async () => {
  const generations = await open()
  const [calm, other] = [toolset(generations, 'calm'), toolset(generations, 'other')]
  settings(['linked', 'calm'], 2)
  const candidate = await generations.prepare()
  expect(candidate.changes.map(({ key, type }) => `${key} ${type}`)).toEqual(['toolset:other removed', 'toolset:calm changed'])
  // Children of the candidate are started with its settings, while the others still hold.
  expect([generations.pluginSettings().entries.calm?.memory_mb, memoryOf(generations.loaded, 'calm')]).toEqual([101, 100])
  const next = candidate.catalog.find('toolset', 'calm')
  expect(next && memoryOf(generations.loadedFor(next), 'calm')).toBe(101)
  expect(memoryOf(generations.loadedFor(calm), 'calm')).toBe(100)
  generations.adopt(candidate, new Set())
  expect([toolset(generations, 'calm'), generations.catalog.find('toolset', 'other')]).toEqual([next, undefined])
  expect([generations.pluginSettings().entries.calm?.memory_mb, memoryOf(generations.loaded, 'calm')]).toEqual([101, 101])
  expect(generations.loadedFor(other)).toBe(generations.loaded)
})

test('what could not be replaced goes on as it was, with the settings that it had, and is tried again the next time', async () => {
  const generations = await open()
  const [calm, other] = [toolset(generations, 'calm'), toolset(generations, 'other')]
  settings(['linked', 'calm'], 2)
  generations.adopt(await generations.prepare(), new Set(['toolset:calm', 'toolset:other']))
  expect([toolset(generations, 'calm'), toolset(generations, 'other')]).toEqual([calm, other])
  expect(toolset(generations, 'calm')).toBe(calm)
  expect([memoryOf(generations.loadedFor(calm), 'calm'), memoryOf(generations.loaded, 'calm')]).toEqual([100, 101])
  const again = await generations.prepare()
  expect(again.changes.map(({ key, type }) => `${key} ${type}`)).toEqual(['toolset:other removed', 'toolset:calm changed'])
  settings(['linked', 'calm', 'other'], 1)
  expect((await generations.prepare()).changes).toEqual([])
  settings(['linked', 'calm'], 3)
  generations.adopt(await generations.prepare(), new Set(['toolset:calm']))
  expect(memoryOf(generations.loadedFor(calm), 'calm')).toBe(100)
})
