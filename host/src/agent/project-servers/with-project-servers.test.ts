import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { withProjectServers } from './with-project-servers.ts'

test('what a project names is switched off beside the settings, which keep their names, and a sentence says so', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'mcp_servers: { own: { command: mine, enabled: false } }\n')
  const file = join(home.work, '.mcp.json')
  const theirs = { command: 'theirs' }
  writeFileSync(file, JSON.stringify({ mcpServers: { own: theirs, brought: theirs, toString: theirs } }))
  const loaded = await loadConfig(openHome({ environment: home.environment, profile: undefined }), home.environment)
  const told: string[] = []
  const tell = (sentence: string): void => void told.push(sentence)
  const given = { workspace: home.work, mcpServers: { brought: { command: 'of the editor' } } }
  const { mcp_servers: servers } = (await withProjectServers(loaded, given, tell)).config
  expect(Object.keys(servers)).toEqual(['toString', 'own'])
  expect([servers.toString, servers.own]).toMatchObject([{ command: 'theirs', enabled: false, project: {} }, { command: 'mine' }])
  expect(told).toEqual([
    `The MCP server own of ${file} is not used: a server of your settings has this name.`,
    `The MCP server brought of ${file} is not used: a server of your settings has this name.`,
    `${file} names MCP servers that are not used before you allow them: toString. agent mcp list shows what they run.`,
  ])
  expect(await withProjectServers(loaded, { ...given, safeMode: true }, tell)).toBe(loaded)
  expect(await withProjectServers(loaded, {}, tell)).toBe(loaded)
  writeFileSync(file, '{')
  await withProjectServers(loaded, given, tell)
  expect(told.slice(3)).toEqual([`The MCP servers of ${file} are not used: it is no JSON.`])
})
