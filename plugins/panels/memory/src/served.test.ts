import type { PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const ask = (client: ChatClient, method: string, more: { readonly item?: string; readonly input?: PanelRecord } = {}) =>
  client.call('panel.run', { panel: 'memory', method, input: {}, ...more })

test('the dashboard serves it with the memory of the home, where what a person writes waits for nobody', async () => {
  await using stage = await openChatStage({
    config: 'model: { provider: offline, default: offline }\nmemory: { write_approval: true }\n',
  })
  const client = stage.connect()
  expect(await ask(client, 'entries')).toEqual({ rows: [] })
  expect(await ask(client, 'add', { input: { text: 'Likes tea.' } })).toEqual({ said: 'It is remembered.' })
  expect(stage.home.read('memories/USER.md')).toContain('Likes tea.')
  const item = 'user Likes tea.'
  expect(await ask(client, 'entries')).toEqual({ rows: [{ id: item, target: 'user', text: 'Likes tea.' }] })
  await ask(client, 'change', { item, input: { text: 'Likes coffee.' } })
  expect(stage.home.read('memories/USER.md')).toContain('Likes coffee.')
  expect(stage.home.read('memories/USER.md')).not.toContain('Likes tea.')
  expect(await client.fails('panel.run', { panel: 'memory', method: 'remove', input: {}, item: 'user Likes milk.' })).toMatchObject({
    data: { code: 'MEMORY_UNCHANGED' },
  })
  await ask(client, 'remove', { item })
  expect(await ask(client, 'entries')).toEqual({ rows: [] })
  expect(await ask(client, 'waiting')).toEqual({ rows: [] })
})
