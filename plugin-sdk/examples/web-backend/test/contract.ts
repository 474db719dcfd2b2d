import type { WebBackendWorld } from '@agent/plugin-sdk/testing'
import { openService } from './service.ts'

/** What the contract suite does with this web backend. */
export async function openWorld(): Promise<WebBackendWorld> {
  const service = await openService('right-key')
  const config = { server: service.url }
  return {
    config,
    secrets: { SAMPLE_API_KEY: 'right-key' },
    query: 'words',
    page: 'https://a.example/one',
    missing: 'https://a.example/none',
    refused: { config, secrets: { SAMPLE_API_KEY: 'wrong-key' } },
    silent: { config, secrets: { SAMPLE_API_KEY: 'silence' } },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
