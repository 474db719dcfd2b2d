import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  return {
    config: {},
    given: [{ method: 'read' }, { method: 'read', input: { file: 'errors', level: 'warn', find: 'slow' } }],
    [Symbol.asyncDispose]: async () => undefined,
  }
}
