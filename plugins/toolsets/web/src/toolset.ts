import type { Toolset } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { createCrawl, createExtract } from './read.ts'
import { createSearch } from './search.ts'

const toolset: Toolset<Config> = {
  async open(context) {
    return { tools: { web_search: createSearch(context), web_extract: createExtract(context), web_crawl: createCrawl(context) } }
  },
}

export default toolset
