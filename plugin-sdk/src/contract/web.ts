import type { Call } from './wire.ts'

/** What is looked for in the web. */
export interface WebSearch {
  readonly query: string
  /** At most so many hits. */
  readonly most: number
}

/** One result of a search. */
export interface WebHit {
  readonly url: string
  readonly title: string
  /** A few sentences of the page; empty where the backend gives none. */
  readonly excerpt: string
}

/** One page that was read. */
export interface WebPage {
  readonly url: string
  readonly title: string
  /** The page in Markdown. */
  readonly text: string
}

/** What is read of one site. */
export interface WebCrawl {
  /** Where it begins; pages of other hosts are left alone. */
  readonly url: string
  /** At most so many pages. */
  readonly most: number
}

/** What a web backend opens has exactly the methods that are declared as capabilities. Each rejects with a coded error. */
export interface WebSource {
  search?(search: WebSearch, call: Call): Promise<readonly WebHit[]>
  extract?(url: string, call: Call): Promise<WebPage>
  crawl?(crawl: WebCrawl, call: Call): Promise<readonly WebPage[]>
}
