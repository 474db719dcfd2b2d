import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLiveLoaded } from './file/live-loaded.ts'
import { openHome } from './home/home.ts'
import { loadConfig } from './load.ts'
import { toolsetsFrom } from './toolsets-from.ts'

test('a platform has the toolsets that it names, and those in the sets among them; without a list it has all', async () => {
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
  const sets = 'toolsets: {few: [files, more], more: [few, web, web], none: []}'
  writeFileSync(home.files.config, `${sets}\nplatforms: {chat: {toolsets: [terminal, few, toString]}, calm: {toolsets: [none]}}\n`)
  const of = toolsetsFrom(await loadConfig(home, {}), () => ({}))
  rmSync(home.path, { recursive: true })
  expect(of('chat')).toEqual(['files', 'terminal', 'toString', 'web'])
  expect(of('calm')).toEqual([])
  expect(of('other')).toBeUndefined()
})

test('settings that are read again count at once', async () => {
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
  const read = (toolset: string): ReturnType<typeof loadConfig> => {
    writeFileSync(home.files.config, `platforms: {chat: {toolsets: [${toolset}]}}\n`)
    return loadConfig(home, {})
  }
  const live = createLiveLoaded(await read('files'))
  const of = toolsetsFrom(live.loaded, () => ({}))
  expect(of('chat')).toEqual(['files'])
  live.replace(await read('web'))
  expect(of('chat')).toEqual(['web'])
  rmSync(home.path, { recursive: true })
})

test('sets of the program are there too, and a set of the settings comes before one of the same name', async () => {
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
  const platforms =
    'platforms: {a: {toolsets: [calm]}, b: {toolsets: [mine]}, c: {toolsets: [busy]}, d: {toolsets: [every]}, e: {toolsets: ["*"]}}'
  writeFileSync(home.files.config, `toolsets: {mine: [calm, x], busy: [y], every: [x, all]}\n${platforms}\n`)
  const of = toolsetsFrom(await loadConfig(home, {}), () => ({ calm: ['files', 'web'], busy: ['files'] }))
  rmSync(home.path, { recursive: true })
  expect([of('a'), of('b'), of('c'), of('d'), of('e')]).toEqual([['files', 'web'], ['files', 'web', 'x'], ['y'], undefined, undefined])
})
