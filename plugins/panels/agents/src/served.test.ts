import { expect, test } from 'vitest'
import { openChatStage } from '../../../../test/support/chats/chat-stage.ts'

test('the dashboard serves it with the child agents of the home', async () => {
  await using stage = await openChatStage({ config: 'model: { provider: offline, default: offline }\n' })
  const client = stage.connect()
  expect(await client.call('panel.run', { panel: 'agents', method: 'agents', input: {} })).toEqual({ rows: [] })
  expect(await client.fails('panel.run', { panel: 'agents', method: 'stop', input: {}, item: 'ses_gone' })).toMatchObject({
    data: { code: 'DELEGATION_ENDED' },
  })
})
