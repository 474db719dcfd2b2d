import type { ArgsOf, ToolContext, ToolRun, WebPage, WireError } from '@agent/plugin-sdk'
import { fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { cutPage } from './cut-page.ts'
import type { tools } from './tools.ts'

/** A little less than the host lets through of one result. */
const mostOfAll = 80_000

/** It is one line: a page says nothing of another one. */
const longestTitle = 300

type Reader = Pick<ToolContext<Config>, 'web' | 'config'>

/** The `web_extract` tool: an address that fails says so, and the others are read. */
export function createExtract({ web, config }: Reader): ToolRun<ArgsOf<typeof tools, 'web_extract'>> {
  return async ({ args }, call) => {
    const urls = [...new Set(args.urls)]
    const read = await Promise.all(
      urls.map(async (url): Promise<WebPage | { readonly url: string; readonly error: WireError }> => {
        return await web.extract(url, call).catch((error: unknown) => ({ url, error: toWireError(error) }))
      }),
    )
    const most = mostOfEach(config, urls.length)
    const texts = read.map((one) => ('error' in one ? `${one.url}\n${fromWireError(one.error).message}` : show(one, most)))
    const [first] = read
    if (first && 'error' in first && read.every((one) => 'error' in one)) return { ok: false, error: first.error, text: texts.join('\n\n') }
    return { ok: true, text: texts.join('\n\n') }
  }
}

/** The `web_crawl` tool. */
export function createCrawl({ web, config }: Reader): ToolRun<ArgsOf<typeof tools, 'web_crawl'>> {
  return async ({ args }, call) => {
    try {
      const pages = await web.crawl({ url: args.url, most: args.limit }, call)
      const texts = pages.map((page) => show(page, mostOfEach(config, pages.length)))
      return { ok: true, text: texts.length === 0 ? `${args.url} leads to no page.` : texts.join('\n\n') }
    } catch (error) {
      return { ok: false, error: toWireError(error) }
    }
  }
}

function mostOfEach({ extract_char_limit }: Config, count: number): number {
  return Math.min(extract_char_limit, Math.floor(mostOfAll / Math.max(1, count)))
}

function show({ url, title, text }: WebPage, most: number): string {
  return `${title.replace(/\s+/g, ' ').slice(0, longestTitle)}\n${url}\n\n${cutPage(text, most)}`
}
