import type { CommandsWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with these commands. */
export async function openWorld(): Promise<CommandsWorld> {
  return {
    config: {},
    given: [
      { name: 'sample_list', args: 'milk' },
      { name: 'sample_list', surface: 'gateway' },
    ],
    failing: { name: 'sample_list', args: 'x'.repeat(300) },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
