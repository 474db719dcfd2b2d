import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this toolset. The host of the tests keeps jobs and runs none. */
export async function openWorld(): Promise<ToolsetWorld> {
  const make = { action: 'create', prompt: 'Say hello.', name: 'hello', schedule: 'daily at 9:00' }
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'cronjob', args: make },
      { tool: 'cronjob', args: { action: 'list' } },
    ],
    failing: { tool: 'cronjob', args: { action: 'remove', job: 'none' } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
