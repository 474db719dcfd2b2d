import type { PanelAnswers, PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const config = [
  'model: { provider: offline, default: offline }',
  'models: [{ provider: offline, model: offline, context: 8000 }]',
  'compression: { protect_last_n: 2 }',
  'sessions: { auto_title: false }',
  '',
].join('\n')

const ask = (client: ChatClient, method: string, more: { readonly item?: string; readonly input?: PanelRecord } = {}) =>
  client.call('panel.run', { panel: 'context', method, input: {}, ...more })

test('the dashboard serves it with the conversations of the home: what they take, what they are made of, and one that is made shorter', async () => {
  await using stage = await openChatStage({ config })
  stage.home.write('workspace/AGENTS.md', 'Say "aye" for yes.\n')
  const client = stage.connect()
  expect(await ask(client, 'conversations')).toEqual({ rows: [] })
  const { session_id: item } = await client.call('session.create', { title: 'Boats' })
  const messages = async () =>
    ((await ask(client, 'conversation', { item }).catch(() => undefined)) as PanelAnswers['detail'] | undefined)?.item.messages
  for (const [index, text] of ['ada', 'berta', 'clara', 'dora'].entries()) {
    await client.call('prompt.submit', { session_id: item, text: `${text} ${'sails over the sea '.repeat(60)}`, id: text })
    await expect.poll(messages).toBe(2 * index + 2)
  }
  const rows = async () => ((await ask(client, 'conversations')) as PanelAnswers['table']).rows
  expect(await rows()).toMatchObject([
    { session: item, title: 'Boats', fills: expect.stringMatching(/^[\d,]+ of 8,000, \d+ %$/), shorter: '' },
  ])
  expect(await ask(client, 'conversation', { item })).toMatchObject({
    item: { title: 'Boats', messages: 8, limit: expect.stringMatching(/^\d,\d+$/) },
  })
  expect(await ask(client, 'prompt', { item })).toMatchObject({ text: expect.stringContaining('Say "aye" for yes.') })
  const { points } = (await ask(client, 'parts', { item })) as PanelAnswers['chart']
  expect(points.map(({ name, value }) => [name, value > 0])).toEqual([
    ['prompt', true],
    ['tools', true],
    ['notes', false],
    ['messages', true],
  ])

  expect(await ask(client, 'shorten', { item, input: { keep: 'the names' } })).toMatchObject({
    said: expect.stringMatching(/^This conversation was made shorter: about [\d,]+ tokens became [\d,]+\./),
  })
  expect(await rows()).toMatchObject([{ shorter: 'once' }])
  expect(await ask(client, 'compressions', { item })).toMatchObject({ rows: [{ why: 'somebody asked for it' }] })
  expect(await ask(client, 'notes', { item })).toMatchObject({ text: expect.stringContaining('ada') })
  const missing = { panel: 'context', method: 'conversation', input: {}, item: 'ses_none' }
  expect(await client.fails('panel.run', missing)).toMatchObject({ data: { code: 'SESSION_NOT_FOUND' } })
})
