// @module-tag process
import { join } from 'node:path'
import type { PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const server = join(import.meta.dirname, '../test/two-tools.mjs')

const ask = (client: ChatClient, method: string, more: { readonly item?: string; readonly input?: PanelRecord } = {}) =>
  client.call('panel.run', { panel: 'mcp', method, input: {}, ...more })

const rowsOf = async (client: ChatClient, method: string): Promise<readonly PanelRecord[]> =>
  ((await ask(client, method)) as { readonly rows: readonly PanelRecord[] }).rows

test('the dashboard serves it with the servers of the home, and one that is added is tried and taken out', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  expect(await rowsOf(client, 'servers')).toEqual([])
  const input = { name: 'near', command: process.execPath, words: [server], variables: ['NEAR_TOKEN=sk-of-a-server'] }
  expect(await ask(client, 'add', { input })).toMatchObject({
    said: expect.stringMatching(/^near is an MCP server now \(mcp_servers\.near\)\./),
  })
  expect(stage.home.read('config.yaml')).not.toContain('sk-of-a-server')
  expect(stage.home.read('.env')).toContain('sk-of-a-server')
  expect(await rowsOf(client, 'servers')).toMatchObject([{ name: 'near', state: 'on', variables: 'NEAR_TOKEN' }])
  expect(JSON.stringify(await ask(client, 'server', { item: 'near' }))).not.toContain('sk-of-a-server')
  const item = 'near'
  expect(await ask(client, 'try', { item })).toEqual({ said: 'The MCP server near has 2 tools.' })
  await ask(client, 'turnOff', { item })
  expect(await rowsOf(client, 'servers')).toMatchObject([{ state: 'off' }])
  await ask(client, 'remove', { item })
  expect(await rowsOf(client, 'servers')).toEqual([])
  expect(await client.fails('panel.run', { panel: 'mcp', method: 'add', input: { name: 'a.b', command: 'x' } })).toMatchObject({
    data: { code: 'CONFIG_VALUE_INVALID' },
  })
  expect((await rowsOf(client, 'catalog')).map(({ name }) => name)).toContain('github')
})
