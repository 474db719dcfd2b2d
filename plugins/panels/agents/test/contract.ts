import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  return {
    config: {},
    given: [{ method: 'agents' }, { method: 'stop', item: 'ses_3' }],
    failing: { method: 'stop', item: 'ses_1' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
