import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. The host of the tests has one session. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'session_search', args: { query: 'hello', limit: 5 } },
      { tool: 'session_search', args: { session: 'ses_1', number: 1, limit: 5 } },
      { tool: 'session_search', args: { limit: 5 } },
    ],
    failing: { tool: 'session_search', args: { session: 'ses_of_others', limit: 5 } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
