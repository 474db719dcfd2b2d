import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. The child agents of the tests say what their task was. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'delegate_task', args: { goal: 'count the files', context: 'in src', toolsets: ['files'], role: 'leaf' } },
      { tool: 'delegate_task', args: { tasks: [{ goal: 'one' }, { goal: 'two', max_iterations: 3 }] } },
      { tool: 'delegate_task', args: { goal: 'one', background: true } },
    ],
    failing: { tool: 'delegate_task', args: { goal: 'one', tasks: [{ goal: 'two' }] } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
