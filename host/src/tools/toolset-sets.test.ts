import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { createToolsetsOf } from './toolset-sets.ts'

const toolset = (id: string, source: string, sets: readonly string[]) => ({ id, plugin: { source }, spec: { sets } })

test('a set is what comes with agent and says that it is part of it', async () => {
  const toolsets = [toolset('a', 'bundled', ['calm', 'busy']), toolset('b', 'bundled', ['busy']), toolset('sly', 'installed', ['calm'])]
  const catalog = { of: () => toolsets, plugins: [] } as unknown as Pick<Catalog, 'of' | 'plugins'>
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
  writeFileSync(home.files.config, 'platforms: {one: {toolsets: [calm]}, two: {toolsets: [busy]}}\n')
  const of = createToolsetsOf({ loaded: await loadConfig(home, {}), catalog })
  rmSync(home.path, { recursive: true })
  expect([of('one'), of('two'), of('three')]).toEqual([['a'], ['a', 'b'], undefined])
})

test('runs of jobs have no toolset that makes jobs, unless the settings let them', async () => {
  const manifestOf = (host: readonly string[]) => ({ manifest: { permissions: host.length > 0 ? { host: { value: host } } : {} } })
  const toolsets = [
    { ...toolset('maker', 'bundled', []), plugin: manifestOf(['jobs']) },
    { ...toolset('web', 'bundled', []), plugin: manifestOf([]) },
  ]
  const catalog = { of: () => toolsets, plugins: [] } as unknown as Pick<Catalog, 'of' | 'plugins'>
  const sets: unknown[] = []
  for (const allowed of [false, true]) {
    const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
    writeFileSync(home.files.config, `cron: { allow_agent_scheduling: ${allowed} }\n`)
    const of = createToolsetsOf({ loaded: await loadConfig(home, {}), catalog })
    rmSync(home.path, { recursive: true })
    sets.push([of('cron'), of('cli')])
  }
  expect(sets).toEqual([
    [['web'], undefined],
    [undefined, undefined],
  ])
})

const platformOf = (id: string, toolsets: readonly string[] | undefined, more: object) => ({
  ...more,
  installed: { manifest: { contributes: { platforms: [{ id, toolsets }] } } },
})

test('a platform has the set of its manifest until a setting names another, also while it is switched off', async () => {
  const plugins = [
    platformOf('bell', undefined, { source: 'installed', state: 'blocked' }),
    platformOf('bell', ['calm'], { source: 'bundled', state: 'blocked' }),
    platformOf('talk', undefined, { source: 'bundled', state: 'ready' }),
    platformOf('door', ['b'], { source: 'bundled', state: 'ready' }),
  ]
  const toolsets = [toolset('a', 'bundled', ['calm']), toolset('b', 'bundled', [])]
  const catalog = { of: () => toolsets, plugins } as unknown as Pick<Catalog, 'of' | 'plugins'>
  const lists: unknown[] = []
  for (const said of ['{}', '{ platforms: { bell: { toolsets: [b] } } }', '{ toolsets: { agent-bell: [agent-cli] } }']) {
    const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
    writeFileSync(home.files.config, said)
    const of = createToolsetsOf({ loaded: await loadConfig(home, {}), catalog })
    rmSync(home.path, { recursive: true })
    lists.push([of('bell'), of('talk'), of('door'), of('cli')])
  }
  expect(lists).toEqual([
    [['a'], undefined, ['b'], undefined],
    [['b'], undefined, ['b'], undefined],
    [undefined, undefined, ['b'], undefined],
  ])
})

test('what a platform says of itself is read again once its plugin is another', async () => {
  let plugins = [platformOf('bell', ['a'], { source: 'bundled', state: 'ready' })]
  const catalog = {
    of: () => [],
    get plugins() {
      return plugins
    },
  } as unknown as Pick<Catalog, 'of' | 'plugins'>
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
  const of = createToolsetsOf({ loaded: await loadConfig(home, {}), catalog })
  rmSync(home.path, { recursive: true })
  expect(of('bell')).toEqual(['a'])
  plugins = [platformOf('bell', ['b'], { source: 'bundled', state: 'ready' })]
  expect(of('bell')).toEqual(['b'])
})
