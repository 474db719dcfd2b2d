import type { ArgsOf, State, ToolResult, ToolRun } from '@agent/plugin-sdk'
import type { tools } from './tools.ts'

type Arguments = ArgsOf<typeof tools, 'todo'>
type Change = NonNullable<Arguments['todos']>[number]
type Status = NonNullable<Change['status']>
type Item = { readonly id: string; readonly content: string; readonly status: Status }

const boxes: Readonly<Record<Status, string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]', cancelled: '[-]' }

/** The `todo` tool. The state is asked at each call, so that the list outlives the process and no session stays in memory. */
export function createTodo(state: State): ToolRun<Arguments> {
  return async ({ args, session }) => {
    const key = `session/${session}`
    const stored = ((await state.get(key)) ?? []) as readonly Item[]
    if (!args.todos) return shown(stored)
    const items = applied(args.merge ? stored : [], args.todos)
    if (typeof items === 'string') return { ok: false, error: { code: 'TOOL_ARGUMENTS', params: { tool: 'todo', problem: items } } }
    if (items.length === 0) await state.delete(key)
    else await state.set(key, items)
    return shown(items)
  }
}

/** The list after the changes, or the problem in words. */
function applied(before: readonly Item[], changes: readonly Change[]): readonly Item[] | string {
  const items = new Map(before.map((item) => [item.id, item]))
  const named = new Set<string>()
  for (const { id, content, status } of changes) {
    if (named.has(id)) return `the id "${id}" is used twice`
    named.add(id)
    const known = items.get(id)
    const text = content ?? known?.content
    if (text === undefined) return `the new item "${id}" has no content`
    items.set(id, { id, content: text, status: status ?? known?.status ?? 'pending' })
  }
  return [...items.values()]
}

function shown(items: readonly Item[]): ToolResult {
  const lines = items.map((item) => `${boxes[item.status]} ${item.id}: ${item.content}`)
  const done = items.filter((item) => item.status === 'completed').length
  const text = items.length === 0 ? 'The list is empty.' : [`${done} of ${items.length} completed`, ...lines].join('\n')
  return { ok: true, text, data: items }
}
