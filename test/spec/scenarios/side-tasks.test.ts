// @module-tag server
import { expect, test } from 'vitest'
import { delegate, eventsOf, openScripted } from '../../support/agents/scripted-agents.ts'
import { openTestHome } from '../../support/test-home.ts'

const picture = `data:image/png;base64,${Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64').toString('base64')}`

test('what is asked beside a conversation counts for it: its title, a picture, notes on it, and its child agents', async () => {
  using home = openTestHome()
  const usage = { input: 100, output: 10 }
  const words = { text: 'I see. '.repeat(2000), usage }
  await using agents = await openScripted(
    home,
    {
      'look at this': [words],
      'and on': [words],
      'ask a child': [
        { ...delegate({ goal: 'small thing' }), usage },
        { text: 'Done.', usage },
      ],
      'small thing': [{ text: 'small', usage }],
    },
    { sessions: { auto_title: true }, agent: { image_input: 'text' }, memory: { nudge_interval: 0 } },
  )
  const { turns, store } = agents.agent
  const session = { key: 'k' }
  const image = { input: [{ type: 'text', text: 'look at this' } as const, { type: 'image', url: picture } as const] }
  const [start] = eventsOf(await agents.say('', { ...image, session, canAnswer: true }), 'message.start')
  const id = start?.session ?? ''
  const sources = async () => new Set((await store.usage.since('')).flatMap((row) => (row.session === id ? [row.source] : [])))
  await expect.poll(sources, { timeout: 10_000 }).toEqual(new Set(['test', 'vision', 'title_generation']))
  for (const text of ['and on', 'ask a child']) await agents.say(text, { session })
  await turns.compress(id, '', new AbortController().signal)
  expect(await sources()).toEqual(new Set(['test', 'vision', 'title_generation', 'compression']))
  const children = await store.sessions.childAgents()
  expect([...children.values()]).toEqual([id])
  const rows = await store.usage.since('')
  expect(rows.filter((row) => row.session === '')).toEqual([])
  expect(rows.filter((row) => children.has(row.session))).toMatchObject([{ source: 'test', calls: 1 }])
})
