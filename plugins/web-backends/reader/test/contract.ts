import type { WebBackendWorld } from '@agent/plugin-sdk/testing'
import { openSite } from './site.ts'

/** What the contract suite does with this web backend. */
export async function openWorld(): Promise<WebBackendWorld> {
  const site = await openSite({
    '/': '<html><body><p>The first page.</p><a href="/two">two</a> <a href="/three">three</a> <a href="http://elsewhere.example/">away</a></body></html>',
    '/two': '<html><body><p>The second page.</p></body></html>',
    '/three': '<html><body><p>The third page.</p></body></html>',
  })
  const resolve = async (): Promise<readonly string[]> => ['127.0.0.1']
  return {
    config: {},
    web: { resolve },
    page: `${site.at('site.example')}/`,
    missing: `${site.at('site.example')}/none`,
    silent: { config: {}, web: { resolve: (_wish, { signal }) => untilGivenUp(signal) } },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
