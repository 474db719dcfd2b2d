import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  const [item, file] = ['1 of /work', '1 of /work//bread.md']
  return {
    config: {},
    given: [
      { method: 'state' },
      { method: 'checkpoints', input: { find: '' } },
      { method: 'checkpoint', item },
      { method: 'files', item },
      { method: 'file', item: file },
      { method: 'diff', item: file },
      { method: 'restoreFile', item: file },
      { method: 'restoreEdited', item },
      { method: 'restore', item },
      { method: 'prune' },
    ],
    failing: { method: 'checkpoint', item: '7 of /work' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
