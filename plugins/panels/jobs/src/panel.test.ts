import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function open() {
  const { context } = openTestContext({ manifest, contribution: 'jobs', config: {} })
  const { run } = await panel.open(context, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

test('a job is made, shown, changed, let wait, asked for and removed', async () => {
  const run = await open()
  expect(await run({ method: 'jobs' })).toEqual({ rows: [] })
  const input = { name: 'news', prompt: 'What is new?', schedule: 'daily at 9', deliver: 'local' }
  expect(await run({ method: 'add', input })).toEqual({ said: 'The job news is kept.' })
  const shown = { id: 'job_1', name: 'news', prompt: 'What is new?', state: 'scheduled', schedule: 'daily at 9 (UTC)', deliver: 'local' }
  const next = { skills: '', nextAt: 1_700_000_000_000, isScheduled: true, isPaused: false }
  expect(await run({ method: 'jobs' })).toEqual({ rows: [{ ...shown, ...next }] })
  const item = 'job_1'
  expect(await run({ method: 'given', item })).toEqual({ values: { prompt: 'What is new?', schedule: 'daily at 9', deliver: 'local' } })
  expect(await run({ method: 'change', item, input: { prompt: 'What is old?' } })).toEqual({ said: 'The job news is changed.' })
  expect(await run({ method: 'pause', item })).toEqual({ said: 'news waits until it is resumed.' })
  expect(await run({ method: 'job', item })).toMatchObject({ item: { prompt: 'What is old?', state: 'paused', isPaused: true } })
  expect(await run({ method: 'resume', item })).toEqual({ said: 'news goes on.' })
  expect(await run({ method: 'run', item })).toEqual({ said: 'news is run as soon as a gateway sees it.' })
  expect(await run({ method: 'remove', item })).toEqual({ said: 'news is removed.' })
  await expect(run({ method: 'job', item })).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
})

test('what is due stands in the calendar, and what was run in the history', async () => {
  const run = await open()
  await run({ method: 'add', input: { name: 'news', prompt: 'x', schedule: 'daily at 9' } })
  await run({ method: 'add', input: { name: 'other', prompt: 'x', schedule: 'daily at 9', paused: true } })
  expect(await run({ method: 'due' })).toEqual({ events: [{ at: 1_700_000_000_000, title: 'news' }] })
  const ran = { at: 1_700_000_000_000, name: 'news', state: 'ok, sent', text: 'It is done.' }
  expect(await run({ method: 'runs', item: 'job_1' })).toEqual({ rows: [ran] })
  expect(await run({ method: 'runs' })).toMatchObject({ rows: [ran, { name: 'other' }] })
})
