import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type Panel, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

type Conversations = Parameters<Panel['open']>[0]['conversations']
type Look = Awaited<ReturnType<Conversations['look']>>

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
const item = 'ses_long'

async function open(change: (verbs: Conversations) => Partial<Conversations> = () => ({})) {
  const { context } = openTestContext({ manifest, contribution: 'context', config: {} })
  const conversations = { ...context.conversations, ...change(context.conversations) }
  const { run } = await panel.open({ ...context, conversations }, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

test('each conversation says how much of the window it takes, and how often it was made shorter', async () => {
  const run = await open()
  expect(await run({ method: 'conversations' })).toMatchObject({
    rows: [
      { session: item, title: 'A long talk', source: 'cli', fills: '6,000 of 32,000, 19 %', shorter: 'once' },
      { session: 'ses_new', source: 'sms', fills: 'not known yet', shorter: '' },
    ],
  })
  const alone = await open(({ list }) => ({
    list: async () => (await list()).map(({ window: _, ...row }) => ({ ...row, compressions: 2 })),
  }))
  expect(await alone({ method: 'conversations' }), 'where no model answers').toMatchObject({
    rows: [{ fills: '6,000', shorter: '2 times' }, {}],
  })
})

test('one says what its next request is made of, and what stands in for what was left out', async () => {
  const run = await open()
  expect(await run({ method: 'conversation', item })).toEqual({
    item: { title: 'A long talk', messages: 40, fills: '6,000 of 32,000, 19 %', limit: '16,000' },
  })
  expect(await run({ method: 'parts', item })).toMatchObject({
    points: [{ name: 'prompt', value: 900 }, {}, {}, { name: 'messages', value: 3000 }],
  })
  expect(await run({ method: 'compressions', item })).toMatchObject({ rows: [{ why: 'it had grown long', before: 20_000, after: 6_000 }] })
  expect(await run({ method: 'notes', item })).toEqual({ text: 'The boat is called Ada.' })
  expect(await run({ method: 'prompt', item })).toEqual({ text: '```text\nYou are agent.\n```' })
})

test('one of which little is known says so', async () => {
  const conversation = async (without: (look: Look) => Look) =>
    await (await open(({ look }) => ({ look: async (of) => without(await look(of)) })))({ method: 'conversation', item })
  expect(await conversation(({ tokens: _, limit: __, ...found }) => found)).toMatchObject({
    item: { fills: 'not known yet', limit: 'never' },
  })
  expect(await conversation(({ window: _, limit: __, ...found }) => found)).toMatchObject({ item: { fills: '6,000', limit: 'not known' } })
  const run = await open(({ look }) => ({ look: async (of) => ({ ...(await look(of)), notes: '', prompt: 'Write ```` so.' }) }))
  expect(await run({ method: 'notes', item })).toEqual({ text: 'There are none: the model hears all of it.' })
  expect(await run({ method: 'prompt', item }), 'no line of the prompt ends the block').toEqual({
    text: '`````text\nWrite ```` so.\n`````',
  })
})

test('the blocks of a page look once, and look again when something has changed', async () => {
  let looks = 0
  const run = await open(({ look }) => ({
    look: async (of) => {
      looks += 1
      return await look(of)
    },
  }))
  await Promise.all(['conversation', 'parts', 'compressions', 'notes', 'prompt'].map((method) => run({ method, item })))
  expect(looks).toBe(1)
  expect(await run({ method: 'shorten', item, input: { keep: 'the boats' } })).toEqual({ said: 'It was made shorter.' })
  expect(await run({ method: 'compressions', item })).toMatchObject({ rows: [{}, { why: 'somebody asked for it' }] })
  expect(looks).toBe(2)
  await expect(run({ method: 'notes', item: 'ses_none' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})
