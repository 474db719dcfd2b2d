import type { Call, WebSource } from '@agent/plugin-sdk'

/** The web as a plugin gets it: `need` throws where its manifest does not ask for it. */
export function limitWeb({ search, extract, crawl }: Required<WebSource>, need: () => void): Required<WebSource> {
  const limited =
    <Asked, Answer>(run: (asked: Asked, call: Call) => Promise<Answer>) =>
    async (asked: Asked, call: Call): Promise<Answer> => {
      need()
      return await run(asked, call)
    }
  return Object.freeze({ search: limited(search), extract: limited(extract), crawl: limited(crawl) })
}
