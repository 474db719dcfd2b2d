import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  const item = 'user Likes tea.'
  return {
    config: {},
    given: [
      { method: 'entries' },
      { method: 'entry', item },
      { method: 'given', item },
      { method: 'use' },
      { method: 'add', input: { text: 'Has a cat.', target: 'user' } },
      { method: 'waiting' },
      { method: 'approve', item: 'mem_1' },
      { method: 'reject', item: 'mem_2' },
      { method: 'change', item, input: { text: 'Likes coffee.' } },
      { method: 'remove', item: 'user Likes coffee.' },
    ],
    failing: { method: 'entry', item: 'user No such entry.' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
