import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. The host of the tests has one skill. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'list_skills', args: {} },
      { tool: 'skill_view', args: { name: 'greeting' } },
    ],
    failing: { tool: 'skill_view', args: { name: 'no-such-skill' } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
