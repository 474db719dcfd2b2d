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
  const catalog = { of: () => toolsets } as unknown as Pick<Catalog, 'of'>
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
  const catalog = { of: () => toolsets } as unknown as Pick<Catalog, 'of'>
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
