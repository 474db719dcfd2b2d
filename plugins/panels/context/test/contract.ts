import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  const item = 'ses_long'
  return {
    config: {},
    given: [
      { method: 'conversations' },
      { method: 'conversation', item },
      { method: 'parts', item },
      { method: 'compressions', item },
      { method: 'notes', item },
      { method: 'prompt', item },
      { method: 'shorten', item, input: { keep: 'the boats' } },
    ],
    failing: { method: 'conversation', item: 'ses_none' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
