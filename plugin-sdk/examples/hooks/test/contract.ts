import type { HooksWorld } from '@agent/plugin-sdk/testing'

const call = { turn: 'trn_1', session: 'ses_1', effect: 'read', workspace: '/work' } as const

/** What the contract suite does with these hooks. */
export async function openWorld(): Promise<HooksWorld> {
  return {
    config: { folders: ['/etc/secret'], sentence: 'Be brief.' },
    events: [
      { hook: 'tool.before', event: { ...call, tool: 'read_file', args: { path: '/work/notes' } } },
      { hook: 'turn.before', event: { turn: 'trn_1', session: 'ses_1', source: 'cli', input: [], instructions: undefined } },
    ],
    refused: { hook: 'tool.before', event: { ...call, tool: 'read_file', args: { path: '/etc/secret/key' } } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
