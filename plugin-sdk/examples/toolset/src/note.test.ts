import type { State, ToolCall, ToolResult, Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createNote } from './note.ts'

function openNotes(most = 20): (text?: string, session?: string) => Promise<ToolResult> {
  const note = createNote(memoryState(), most)
  return (text, session = 'ses_1') =>
    note(toolCall(text === undefined ? {} : { text }, session), { id: 'call_1', signal: new AbortController().signal, deadline: 1000 })
}

function toolCall<A>(args: A, session: string): ToolCall<A> {
  return { id: 'call_1', args, session, turn: 'trn_1', workspace: '/', progress: () => undefined, ask: async () => '' }
}

function memoryState(): State {
  const values = new Map<string, Wire>()
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  }
}

test('notes are kept in order, for each session on its own', async () => {
  const note = openNotes()
  await note('first')
  await note(' second ')
  await note('of somebody else', 'ses_2')
  expect(await note()).toEqual({ ok: true, text: 'first\nsecond', data: ['first', 'second'] })
})

test('the oldest note goes when there are too many', async () => {
  const note = openNotes(2)
  for (const text of ['one', 'two', 'three']) await note(text)
  expect(await note()).toMatchObject({ text: 'two\nthree' })
})

test('a blank note is refused in words and changes nothing', async () => {
  const note = openNotes()
  expect(await note(' ')).toMatchObject({ ok: false, error: { code: 'TOOL_ARGUMENTS' } })
  expect(await note()).toMatchObject({ text: 'There are no notes.' })
})
