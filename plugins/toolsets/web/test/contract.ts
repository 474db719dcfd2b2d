import type { WebPage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

const page: WebPage = { url: 'https://a.example/one', title: 'One', text: '# One\n\nWords.' }

/** What the contract suite does with this toolset. */
export async function openWorld(): Promise<ToolsetWorld> {
  return {
    config: {},
    workspace: '/',
    web: {
      search: async ({ query }, { signal }) => (query === 'silence' ? await untilGivenUp(signal) : [{ ...page, excerpt: 'Words.' }]),
      extract: async (url) => {
        if (url === page.url) return page
        throw fail('WEB_ADDRESS_REFUSED', { url, reason: 'it is not among the pages of the tests' })
      },
      crawl: async () => [page],
    },
    good: [
      { tool: 'web_search', args: { query: 'words', limit: 5 } },
      { tool: 'web_extract', args: { urls: [page.url, 'https://b.example'] } },
      { tool: 'web_crawl', args: { url: page.url, limit: 2 } },
    ],
    failing: { tool: 'web_extract', args: { urls: ['https://b.example'] } },
    hanging: { tool: 'web_search', args: { query: 'silence', limit: 5 } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
