import type { PanelWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this panel. */
export async function openWorld(): Promise<PanelWorld> {
  return {
    config: {},
    given: [
      { method: 'add', input: { thing: 'milk' } },
      { method: 'list', input: { find: 'mil' } },
      { method: 'remove', item: 'milk' },
    ],
    failing: { method: 'remove', item: 'bread' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
