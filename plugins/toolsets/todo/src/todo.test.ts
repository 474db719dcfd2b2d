import type { State, ToolCall, ToolResult, Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createTodo } from './todo.ts'
import { tools } from './tools.ts'

function openTodo(state: State = memoryState()) {
  const todo = createTodo(state)
  return (args: unknown, session = 'ses_1'): Promise<ToolResult> =>
    todo(toolCall(tools.todo.parameters.parse(args), session), {
      id: 'call_1',
      signal: new AbortController().signal,
      deadline: 1000,
    })
}

function toolCall<A>(args: A, session: string): ToolCall<A> {
  const nobody = async (): Promise<string> => {
    throw new Error('nobody to ask')
  }
  return { id: 'call_1', args, session, turn: 'trn_1', workspace: '/', progress: () => undefined, ask: nobody }
}

function memoryState(): State & { readonly size: number } {
  const values = new Map<string, Wire>()
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
    get size() {
      return values.size
    },
  }
}

const text = (result: ToolResult): string => (result.ok ? result.text : JSON.stringify(result.error))

test('a list is written, shown and replaced', async () => {
  const todo = openTodo()
  expect(text(await todo({}))).toBe('The list is empty.')
  const written = await todo({
    todos: [
      { id: 'a', content: 'read' },
      { id: 'b', content: 'write', status: 'completed' },
    ],
  })
  expect(text(written)).toBe('1 of 2 completed\n[ ] a: read\n[x] b: write')
  expect(await todo({})).toEqual(written)
  expect(text(await todo({ todos: [{ id: 'c', content: 'rest' }] }))).toBe('0 of 1 completed\n[ ] c: rest')
})

test('merge changes items by id, keeps what is not named and appends new ones', async () => {
  const todo = openTodo()
  await todo({
    todos: [
      { id: 'a', content: 'read' },
      { id: 'b', content: 'write' },
    ],
  })
  const merged = await todo({
    merge: true,
    todos: [
      { id: 'b', status: 'in_progress' },
      { id: 'c', content: 'test' },
    ],
  })
  expect(text(merged)).toBe('0 of 3 completed\n[ ] a: read\n[>] b: write\n[ ] c: test')
})

test('each session has its own list, and it survives the toolset', async () => {
  const state = memoryState()
  await openTodo(state)({ todos: [{ id: 'a', content: 'first' }] }, 'ses_1')
  expect(text(await openTodo(state)({}, 'ses_2'))).toBe('The list is empty.')
  expect(text(await openTodo(state)({}, 'ses_1'))).toContain('a: first')
})

test('an emptied list leaves nothing behind', async () => {
  const state = memoryState()
  const todo = openTodo(state)
  await todo({ todos: [{ id: 'a', content: 'first' }] })
  await todo({ todos: [] })
  expect(state.size).toBe(0)
})

test.each([
  [
    'an id twice',
    {
      todos: [
        { id: 'a', content: 'x' },
        { id: 'a', content: 'y' },
      ],
    },
    'the id "a" is used twice',
  ],
  ['a new item without content', { merge: true, todos: [{ id: 'n', status: 'pending' }] }, 'the new item "n" has no content'],
])('%s is refused in words and changes nothing', async (_name, args, problem) => {
  const todo = openTodo()
  await todo({ todos: [{ id: 'k', content: 'kept' }] })
  expect(await todo(args)).toEqual({ ok: false, error: { code: 'TOOL_ARGUMENTS', params: { tool: 'todo', problem } } })
  expect(text(await todo({}))).toContain('k: kept')
})
