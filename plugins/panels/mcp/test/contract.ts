import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  const item = 'notes'
  return {
    config: {},
    given: [
      { method: 'servers' },
      { method: 'server', item },
      { method: 'try', item },
      { method: 'turnOff', item },
      { method: 'turnOn', item },
      { method: 'catalog' },
      { method: 'offer', item: 'far' },
      { method: 'install', item: 'far', input: { words: [], variables: ['FAR_TOKEN=x'] } },
      { method: 'add', input: { name: 'near', command: 'near-server', words: ['-q'], headers: [], variables: [], trust: 'hints' } },
      { method: 'remove', item },
    ],
    failing: { method: 'server', item: 'no-such-server' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
