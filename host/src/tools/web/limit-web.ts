import type { Call, ToolContext } from '@agent/plugin-sdk'

/** The web as a plugin gets it: `need` throws where its manifest does not ask for it. */
export function limitWeb({ search, extract, crawl, resolve }: ToolContext['web'], need: () => void): ToolContext['web'] {
  const limited =
    <Asked, Answer>(run: (asked: Asked, call: Call) => Promise<Answer>) =>
    async (asked: Asked, call: Call): Promise<Answer> => {
      need()
      return await run(asked, call)
    }
  return Object.freeze({ search: limited(search), extract: limited(extract), crawl: limited(crawl), resolve: limited(resolve) })
}
