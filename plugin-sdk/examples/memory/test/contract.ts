import type { MemoryWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this memory provider. */
export async function openWorld(): Promise<MemoryWorld> {
  return {
    config: {},
    // It keeps no files.
    folder: '/nonexistent',
    note: 'The cat is called Minka.',
    query: 'What is the cat called?',
    [Symbol.asyncDispose]: async () => undefined,
  }
}
