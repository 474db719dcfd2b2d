// @module-tag process
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PanelAnswers, PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const config = [
  'model: { provider: offline, default: offline }',
  'checkpoints: { enabled: true }',
  'approvals: { mode: "off" }',
  'sessions: { auto_title: false }',
  '',
].join('\n')

const ask = (client: ChatClient, method: string, more: { readonly item?: string; readonly input?: PanelRecord } = {}) =>
  client.call('panel.run', { panel: 'checkpoints', method, input: {}, ...more })

const rowsOf = async (client: ChatClient, method: string, item?: string): Promise<readonly PanelRecord[]> =>
  ((await ask(client, method, item === undefined ? {} : { item })) as PanelAnswers['table']).rows

const itemOf = async (client: ChatClient, method: string, item: string): Promise<PanelRecord> =>
  ((await ask(client, method, { item })) as PanelAnswers['detail']).item

async function turn(client: ChatClient, text: string): Promise<string> {
  const { session_id } = await client.call('session.create', { title: 'Baking' })
  await client.call('prompt.submit', { session_id, text, id: text })
  await client.until((event) => event.type === 'message.complete')
  return session_id
}

test('the dashboard serves it with the checkpoints of the home: what differs, what a rollback would take, and the way back', async () => {
  await using stage = await openChatStage({ config })
  const folder = join(stage.home.home, 'workspace')
  const notes = stage.home.write('workspace/notes.md', 'one\n')
  const client = stage.connect()
  expect(await rowsOf(client, 'checkpoints')).toEqual([])
  await turn(client, 'write notes.md: two then write bread.md: flour')
  const [row] = await rowsOf(client, 'checkpoints')
  expect(row).toMatchObject({ folder, number: 1, before: 'a turn that changed 2 files', session: 'Baking', item: `1 of ${folder}` })
  const item = String(row?.item)
  expect((await itemOf(client, 'state', item)).bytes).toBeGreaterThan(0)
  expect(await itemOf(client, 'checkpoint', item)).toMatchObject({ differs: '2 files', warning: '', isPlain: true, hasEdited: false })
  expect(await ask(client, 'diff', { item: `${item}//notes.md` })).toMatchObject({ text: expect.stringMatching(/-one\n\+two\n/) })
  expect(await ask(client, 'diff', { item: `${item}//notes.md` })).toMatchObject({ text: expect.not.stringContaining('flour') })

  writeFileSync(notes, 'by hand\n')
  expect(await itemOf(client, 'checkpoint', item)).toMatchObject({ isPlain: false, hasEdited: true })
  expect(await rowsOf(client, 'files', item)).toMatchObject([
    { path: 'notes.md', since: 'it was changed', by: 'by hand' },
    { path: 'bread.md', since: 'it was made', rollback: 'deletes it', by: '' },
  ])
  expect(await client.fails('panel.run', { panel: 'checkpoints', method: 'restore', input: {}, item })).toMatchObject({
    data: { code: 'CHECKPOINT_EDITED' },
  })
  expect(stage.home.read('workspace/notes.md')).toBe('by hand\n')
  expect(await ask(client, 'restoreEdited', { item })).toMatchObject({ said: expect.stringContaining('1 file restored, 1 deleted') })
  expect(stage.home.read('workspace/notes.md')).toBe('one\n')
  expect(existsSync(join(folder, 'bread.md'))).toBe(false)
  expect(await rowsOf(client, 'checkpoints')).toMatchObject([
    { number: 2, before: 'a rollback that changed 2 files', session: '' },
    { number: 1 },
  ])
  await ask(client, 'restoreFile', { item: `2 of ${folder}//notes.md` })
  expect(stage.home.read('workspace/notes.md')).toBe('by hand\n')
  expect(await ask(client, 'prune')).toEqual({ said: 'No checkpoint is too old or too much.' })
})
