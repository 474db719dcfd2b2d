import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: { most_notes: 20 },
    workspace: '/',
    good: [
      { tool: 'sample_note', args: { text: 'buy milk' } },
      { tool: 'sample_note', args: {} },
      { tool: 'sample_wait', args: { seconds: 0 } },
    ],
    failing: { tool: 'sample_note', args: { text: ' ' } },
    hanging: { tool: 'sample_wait', args: { seconds: 600 } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
