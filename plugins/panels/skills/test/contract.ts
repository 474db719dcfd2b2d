import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  return {
    config: {},
    given: [
      { method: 'toolsets' },
      { method: 'turnOff', item: 'talk' },
      { method: 'turnOn', item: 'talk' },
      { method: 'setUp', item: 'talk' },
      { method: 'skills', input: { find: 'greet' } },
      { method: 'skill', item: 'greeting' },
      { method: 'instructions', item: 'greeting' },
    ],
    failing: { method: 'instructions', item: 'no-such-skill' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
