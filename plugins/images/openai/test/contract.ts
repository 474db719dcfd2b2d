import type { ImageWorld } from '@agent/plugin-sdk/testing'
import { openPainter } from './server.ts'

/** What the contract suite does with this image backend. */
export async function openWorld(): Promise<ImageWorld> {
  const server = await openPainter('right-key')
  const config = { base_url: `${server.url}/v1` }
  return {
    config,
    secrets: { OPENAI_API_KEY: 'right-key' },
    prompt: 'a rose',
    forbidden: 'a forbidden rose',
    refused: { config, secrets: { OPENAI_API_KEY: 'wrong-key' } },
    silent: { config, secrets: { OPENAI_API_KEY: 'silence' } },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
