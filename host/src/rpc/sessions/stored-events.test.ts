import type { AssistantPart, ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { closeTurn } from '#agent/turn/run-turn.ts'
import { storedEvents } from './stored-events.ts'

const session = { id: 'ses_1', provider: 'p', model: 'm' }
const user: ModelMessage = { role: 'user', parts: [{ type: 'text', text: 'hello' }] }
const says = (text: string): AssistantPart => ({ type: 'text', text })
const call: AssistantPart = { type: 'call', id: 'c1', name: 'echo', args: '{}' }

const eventsOf = (messages: readonly ModelMessage[]) =>
  storedEvents(
    session,
    messages.map((message) => ({ at: 1, message })),
    { prompts: 0, messages: 0 },
  ).events.map(({ event }) => event)

test.each(['interrupted', 'failed', 'max-iterations', 'length'] as const)(
  'a turn that ended with "%s" is told with its words and that end, without the note to the model',
  (status) => {
    const events = eventsOf(closeTurn([user], status, 'One two'))
    expect(events.slice(2)).toEqual([
      { type: 'message.delta', text: 'One two' },
      { type: 'message.complete', text: 'One two', status, stop: 'stop' },
    ])
  },
)

test('one that said nothing has no words, and one that only speaks of notes is whole', () => {
  expect(eventsOf(closeTurn([user], 'interrupted', '')).slice(2)).toEqual([
    { type: 'message.complete', text: '', status: 'interrupted', stop: 'stop' },
  ])
  const text = 'It says [interrupted] there.'
  expect(eventsOf([user, { role: 'assistant', parts: [says(text)] }]).at(-1)).toMatchObject({ text, status: 'complete' })
})

test('a call that was cut off has an unknown end as soon as something stands behind it', () => {
  const asked: ModelMessage = { role: 'assistant', parts: [says('I look.'), call] }
  const ends = (messages: readonly ModelMessage[]) => eventsOf(messages).filter(({ type }) => type === 'tool.complete')
  expect(ends([user, asked])).toEqual([])
  expect(ends(closeTurn([user, asked], 'interrupted', ''))).toMatchObject([{ id: 'c1', ok: false, text: expect.stringContaining('echo') }])
  const result: ModelMessage = { role: 'tool', results: [{ id: 'c1', name: 'echo', ok: true, text: 'done' }] }
  expect(ends([user, asked, result, { role: 'assistant', parts: [says('So.')] }])).toMatchObject([{ id: 'c1', ok: true }])
})
