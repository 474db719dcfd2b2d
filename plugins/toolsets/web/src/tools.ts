import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

const address = z.string().min(1).max(4000)

export const tools = defineTools({
  web_search: {
    description: 'Search the web. Gives titles, addresses and excerpts; web_extract reads a page.',
    parameters: z.strictObject({ query: z.string().min(1).max(1000), limit: z.int().min(1).max(20).default(5) }),
    effect: 'read',
    replaySafe: true,
    parallel: true,
    needsWeb: 'search',
    timeoutMs: 60_000,
  },
  web_extract: {
    description: 'Read up to five web pages as Markdown. Long pages are cut in the middle.',
    parameters: z.strictObject({ urls: z.array(address).min(1).max(5) }),
    effect: 'read',
    replaySafe: true,
    parallel: true,
    needsWeb: 'extract',
    deferred: true,
    timeoutMs: 120_000,
  },
  web_crawl: {
    description: 'Read a web page and the pages of the same site that it links to.',
    parameters: z.strictObject({ url: address, limit: z.int().min(1).max(20).default(5) }),
    effect: 'read',
    replaySafe: true,
    parallel: true,
    needsWeb: 'crawl',
    deferred: true,
    timeoutMs: 180_000,
  },
})
