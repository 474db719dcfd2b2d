import type { ContextWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this context engine: it needs nothing. */
export async function openWorld(): Promise<ContextWorld> {
  return { config: {}, [Symbol.asyncDispose]: async () => undefined }
}
