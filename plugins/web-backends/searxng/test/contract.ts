import type { WebBackendWorld } from '@agent/plugin-sdk/testing'
import { openSearxng } from './server.ts'

/** What the contract suite does with this web backend. */
export async function openWorld(): Promise<WebBackendWorld> {
  const server = await openSearxng()
  const at = (place: string) => ({ config: {}, secrets: { SEARXNG_URL: server.url + place } })
  return {
    ...at(''),
    query: 'words',
    refused: at('/html'),
    silent: at('/silent'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
