import { fileURLToPath } from 'node:url'
import type { ModelRequest } from '@agent/plugin-sdk'
import type { ProviderWorld } from '@agent/plugin-sdk/testing'

/** An agent that was made with the protocol's own SDK. */
export const testAgent = { command: process.execPath, args: [fileURLToPath(new URL('agent.mjs', import.meta.url))] }

export const say = (text: string): ModelRequest => ({
  model: 'default',
  system: 'Be kind.',
  session: 'ses_1',
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  tools: ['terminal', 'read_file'].map((name) => ({ name, description: name, parameters: { type: 'object' } })),
})

/** What the contract suite does with this provider. */
export async function openWorld(provider: string): Promise<ProviderWorld> {
  return {
    ...{ config: { [provider]: testAgent }, text: say('hello'), calls: say('calls'), failing: say('fail'), endless: say('endless') },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
