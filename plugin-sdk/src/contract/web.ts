import type { Call } from './wire.ts'

export interface WebSearch {
  readonly query: string
  /** At most so many hits. */
  readonly most: number
}

export interface WebHit {
  readonly url: string
  readonly title: string
  /** A few sentences of the page; empty where the backend gives none. */
  readonly excerpt: string
}

export interface WebPage {
  readonly url: string
  readonly title: string
  /** The page in Markdown. */
  readonly text: string
}

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
