import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { findToolsHere, type ToolGround, toolsNamed } from './tools-here.ts'

const toolset = (id: string, tools: readonly object[], more: object = {}) => ({ id, spec: { tools, ...more }, settings: { block: more } })
const toolsets = [
  toolset('shell', [{ name: 'run' }]),
  toolset('web', [{ name: 'look_up', needsWeb: 'search' }]),
  toolset('notes', [{ name: 'note' }, { name: 'paint', needsImages: 'generate' }]),
  toolset('servers', [], { dynamicTools: { prefix: 'srv_', block: 'servers' }, servers: { one: {} } }),
  toolset('idle', [], { dynamicTools: { prefix: 'idle_', block: 'servers' }, servers: {} }),
]
const catalog = { of: (kind: string) => (kind === 'toolset' ? toolsets : []), plugins: [] } as unknown as ToolGround['catalog']

test('a toolset is there where one of its tools works, or where it may have tools that come later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tools-here-'))
  const loaded = await loadConfig(openHome({ environment: { AGENT_HOME: folder } }), {})
  rmSync(folder, { recursive: true })
  const { tools, toolsets: ids } = findToolsHere({ catalog, loaded })
  expect([...ids]).toEqual(['shell', 'notes', 'servers'])
  expect([...tools]).toEqual(['run', 'note', 'srv_*'])
})

test('a conversation has the toolsets of the tools that it may call', () => {
  expect([...toolsNamed(catalog, new Set(['note', 'other'])).toolsets]).toEqual(['notes'])
  expect([...toolsNamed(catalog, new Set(['srv_*'])).toolsets]).toEqual(['servers'])
  expect([...toolsNamed(catalog, new Set()).toolsets]).toEqual([])
})
