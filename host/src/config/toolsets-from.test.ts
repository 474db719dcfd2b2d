import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from './home/home.ts'
import { loadConfig } from './load.ts'
import { toolsetsFrom } from './toolsets-from.ts'

test('a platform has the toolsets that it names, and those in the sets among them; without a list it has all', async () => {
  const home = openHome({ environment: { AGENT_HOME: mkdtempSync(join(tmpdir(), 'toolsets-')) } })
  const sets = 'toolsets: {few: [files, more], more: [few, web, web], none: []}'
  writeFileSync(home.files.config, `${sets}\nplatforms: {chat: {toolsets: [terminal, few, toString]}, calm: {toolsets: [none]}}\n`)
  const of = toolsetsFrom(await loadConfig(home, {}))
  rmSync(home.path, { recursive: true })
  expect(of('chat')).toEqual(['files', 'terminal', 'toString', 'web'])
  expect(of('calm')).toEqual([])
  expect(of('other')).toBeUndefined()
})
