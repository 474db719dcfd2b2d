import type { ImageWorld } from '@agent/plugin-sdk/testing'
import { openService } from './service.ts'

/** What the contract suite does with this image backend. */
export async function openWorld(): Promise<ImageWorld> {
  const service = await openService('right-key')
  const config = { server: service.url }
  return {
    config,
    secrets: { SAMPLE_API_KEY: 'right-key' },
    prompt: 'a dot',
    forbidden: 'a rose',
    refused: { config, secrets: { SAMPLE_API_KEY: 'wrong-key' } },
    silent: { config, secrets: { SAMPLE_API_KEY: 'silence' } },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
