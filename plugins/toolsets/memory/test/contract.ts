import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. The host of the tests keeps one block. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'memory', args: { action: 'add', target: 'memory', content: 'The cat is Minka.' } },
      { tool: 'memory', args: { action: 'remove', target: 'memory', old_text: 'Minka' } },
      { tool: 'recall', args: { query: 'cat' } },
    ],
    failing: { tool: 'memory', args: { action: 'replace', target: 'memory', content: 'x', old_text: 'nothing like it' } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
