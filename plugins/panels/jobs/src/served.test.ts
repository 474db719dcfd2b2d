import type { PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

const ask = (client: ChatClient, method: string, more: { readonly item?: string; readonly input?: PanelRecord } = {}) =>
  client.call('panel.run', { panel: 'jobs', method, input: {}, ...more })

const rowsOf = async (client: ChatClient, method: string): Promise<readonly PanelRecord[]> =>
  ((await ask(client, method)) as { readonly rows: readonly PanelRecord[] }).rows

test('the dashboard serves it with the jobs of the home, and what is made there is a job', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  expect(await rowsOf(client, 'jobs')).toEqual([])
  const input = { prompt: 'What is new?', schedule: 'every 6h', deliver: 'local' }
  expect(await ask(client, 'add', { input })).toEqual({ said: 'The job What is new? is kept.' })
  const [job] = await rowsOf(client, 'jobs')
  expect(job).toMatchObject({ name: 'What is new?', state: 'scheduled', isScheduled: true })
  const item = String(job?.id)
  const { events } = (await ask(client, 'due')) as { readonly events: readonly { readonly at: number; readonly title: string }[] }
  expect([events.length, events[0]]).toEqual([56, { at: job?.nextAt, title: 'What is new?' }])
  expect(events[55]?.at).toBe(Number(job?.nextAt) + 55 * 6 * 3_600_000)
  await ask(client, 'pause', { item })
  expect(await ask(client, 'due')).toEqual({ events: [] })
  await ask(client, 'run', { item })
  expect(await rowsOf(client, 'runs')).toMatchObject([{ name: 'What is new?', state: 'waiting' }])
  expect(await client.fails('panel.run', { panel: 'jobs', method: 'add', input: { ...input, schedule: 'now and then' } })).toMatchObject({
    data: { code: 'SCHEDULE_INVALID' },
  })
  await ask(client, 'remove', { item })
  expect(await rowsOf(client, 'jobs')).toEqual([])
})
