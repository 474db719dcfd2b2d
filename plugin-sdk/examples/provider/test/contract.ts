import type { ModelRequest } from '@agent/plugin-sdk'
import type { ProviderWorld } from '@agent/plugin-sdk/testing'
import { openService } from './service.ts'

/** What the contract suite does with this provider: each request names what its service has to do. */
export async function openWorld(): Promise<ProviderWorld> {
  const service = await openService('right-key')
  const ask = (model: string): ModelRequest => ({
    model,
    system: 'Be brief.',
    session: 'ses_1',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
    tools: ['one', 'two'].map((name) => ({ name, description: name, parameters: { type: 'object' } })),
  })
  return {
    config: { server: service.url },
    secrets: { SAMPLE_API_KEY: 'right-key' },
    text: ask('text'),
    calls: ask('calls'),
    failing: ask('failing'),
    endless: ask('endless'),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
