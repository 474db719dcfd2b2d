import type { ModelRequest } from '@agent/plugin-sdk'
import type { ProviderWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this provider. */
export async function openWorld(): Promise<ProviderWorld> {
  const say = (text: string): ModelRequest => ({
    model: 'offline',
    system: '',
    session: 'ses_1',
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: ['terminal', 'read_file'].map((name) => ({ name, description: name, parameters: { type: 'object' } })),
  })
  return {
    config: {},
    text: say('hello'),
    calls: say('run ls and read a.txt'),
    failing: say('fail rate_limit'),
    endless: say('stream 100000 tokens every 1 ms'),
    [Symbol.asyncDispose]: async () => undefined,
  }
}
