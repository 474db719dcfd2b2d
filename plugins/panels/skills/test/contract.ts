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
      { method: 'proposals' },
      { method: 'proposal', item: 'skl_1' },
      { method: 'difference', item: 'skl_1' },
      { method: 'approve', item: 'skl_1' },
      { method: 'reject', item: 'skl_2' },
      { method: 'installed' },
      { method: 'installedSkill', item: 'tea' },
      { method: 'check', item: 'tea' },
      { method: 'update', item: 'tea' },
      { method: 'look', input: { source: 'https://skills.example' } },
      { method: 'offered' },
      { method: 'offer', item: 'coffee hash-of-coffee https://skills.example' },
      { method: 'install', item: 'tea hash-of-tea https://skills.example' },
      { method: 'installAgreed', item: 'coffee hash-of-coffee https://skills.example' },
      { method: 'remove', item: 'tea' },
      { method: 'removeEdited', item: 'coffee' },
    ],
    failing: { method: 'instructions', item: 'no-such-skill' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
