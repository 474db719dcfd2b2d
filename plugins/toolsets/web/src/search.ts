import type { ArgsOf, ToolContext, ToolRun } from '@agent/plugin-sdk'
import { toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

const longestExcerpt = 1000

/** The `web_search` tool. */
export function createSearch({ web }: Pick<ToolContext, 'web'>): ToolRun<ArgsOf<typeof tools, 'web_search'>> {
  return async ({ args }, call) => {
    try {
      const hits = await web.search({ query: args.query, most: args.limit }, call)
      const found = hits.map(({ url, title, excerpt }, index) => ({
        ...{ position: index + 1, title, url },
        description: excerpt.slice(0, longestExcerpt),
      }))
      const lines = found.map(({ position, title, url, description }) => `${position}. ${title}\n${url}\n${description}`.trimEnd())
      return { ok: true, text: lines.length === 0 ? `Nothing was found for ${args.query}.` : lines.join('\n\n'), data: { web: found } }
    } catch (error) {
      return { ok: false, error: toWireError(error) }
    }
  }
}
