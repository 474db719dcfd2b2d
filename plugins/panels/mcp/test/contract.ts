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
      { method: 'add', input: { name: 'there', url: 'https://there.example', words: [], headers: [], variables: [], trust: 'untrusted' } },
      { method: 'logIn', item: 'there' },
      { method: 'finish', item: 'there', input: { address: 'http://127.0.0.1/callback?code=x&state=login-there' } },
      { method: 'forget', item: 'there' },
      { method: 'logIn', item: 'there' },
      { method: 'giveUp', item: 'there' },
      { method: 'remove', item },
    ],
    failing: { method: 'server', item: 'no-such-server' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
