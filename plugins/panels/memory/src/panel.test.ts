import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function open() {
  const { context } = openTestContext({ manifest, contribution: 'memory', config: {} })
  const { run } = await panel.open(context, call)
  const ask = (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
  return Object.assign(ask, { memory: context.memory })
}

const tea = { id: 'user Likes tea.', target: 'user', text: 'Likes tea.' }

test('an entry is shown, added, changed and forgotten', async () => {
  const run = await open()
  expect(await run({ method: 'entries' })).toEqual({ rows: [tea] })
  expect(await run({ method: 'use' })).toEqual({
    rows: [
      { target: 'user', used: '10 of 1000' },
      { target: 'memory', used: '0 of 1000' },
    ],
  })
  expect(await run({ method: 'add', input: { target: 'memory', text: ' It rains. ' } })).toEqual({ said: 'It is remembered.' })
  expect(await run({ method: 'given', item: tea.id })).toEqual({ values: { text: 'Likes tea.' } })
  expect(await run({ method: 'change', item: tea.id, input: { text: 'Likes coffee.' } })).toEqual({ said: 'It is changed.' })
  expect(await run({ method: 'entry', item: tea.id }), 'the page is still there').toEqual({
    item: { target: 'user', text: 'Likes coffee.' },
  })
  await run({ method: 'change', item: tea.id, input: { text: 'Likes tea.' } })
  await run({ method: 'change', item: tea.id, input: { text: 'Likes coffee.' } })
  expect(await run({ method: 'entries' })).toEqual({
    rows: [
      { id: 'user Likes coffee.', target: 'user', text: 'Likes coffee.' },
      { id: 'memory It rains.', target: 'memory', text: 'It rains.' },
    ],
  })
  expect(await run({ method: 'remove', item: 'user Likes coffee.' })).toEqual({ said: 'It is forgotten.' })
})

test('a button of a page does nothing to what somebody else has written meanwhile', async () => {
  const run = await open()
  await run.memory.change({ action: 'replace', target: 'user', old: tea.text, text: 'Likes water.' })
  for (const method of ['entry', 'given', 'remove'])
    await expect(run({ method, item: tea.id })).rejects.toMatchObject({ code: 'MEMORY_UNCHANGED' })
  await expect(run({ method: 'change', item: tea.id, input: { text: 'x' } })).rejects.toMatchObject({ code: 'MEMORY_UNCHANGED' })
})

test('a change that waits is made or dropped', async () => {
  const run = await open()
  expect(await run({ method: 'waiting' })).toMatchObject({ rows: [{ id: 'mem_1', for: 'you' }, { for: 'the person ann on sms' }] })
  expect(await run({ method: 'approve', item: 'mem_1' })).toEqual({ said: 'Done: add to user: Has a cat.' })
  expect(await run({ method: 'reject', item: 'mem_2' })).toEqual({ said: 'Dropped: remove from memory: It rains.' })
  expect(await run({ method: 'waiting' })).toEqual({ rows: [] })
})
