import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'todo', args: { todos: [{ id: '1', content: 'First', status: 'in_progress' }] } },
      { tool: 'todo', args: { todos: [{ id: '1', status: 'completed' }], merge: true } },
      { tool: 'todo', args: {} },
    ],
    failing: { tool: 'todo', args: { todos: [{ id: '2' }] } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
