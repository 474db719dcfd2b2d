import { type Call, type WebBackend, type WebPage, withTimeLimit } from '@agent/plugin-sdk'
import { crawl } from './crawl.ts'
import { decodeText } from './decode-text.ts'
import { failure } from './failure.ts'
import { type Fetched, type Fetcher, type FetchWish, fetchPage } from './fetch-page.ts'
import { createPageReader, type PageReader } from './page-reader.ts'

type Followed = WebPage & { readonly links: readonly string[] }

const agent = 'agent-reader'
const mostBytes = 5_000_000
const longestMs = 30_000

const backend: WebBackend = {
  async open({ web, clock, about, effect }) {
    const pages = createPageReader(clock)
    effect(() => pages.close())
    const fetcher: Fetcher = {
      userAgent: `${agent}/${about.agentVersion} (reads a page for a person who asks for it)`,
      resolve: (url, call) => web.resolve({ url, allowPrivate: false }, call),
    }
    const fetch = (wish: FetchWish, call: Call): Promise<Fetched> => fetchPage(fetcher, wish, call)
    const read = (url: string, call: Call, admit?: FetchWish['admit']): Promise<Followed> =>
      withTimeLimit({ clock, signal: call.signal, ms: longestMs, what: `Reading ${url}` }, async (signal) =>
        readFetched(pages, await fetch({ url, mostBytes, ...(admit && { admit }) }, { ...call, signal }), signal),
      )
    return {
      extract: async (url, call) => {
        const { links: _, ...page } = await read(url, call)
        return page
      },
      crawl: (wish, call) => crawl({ clock, agent, fetch, read }, wish, call),
    }
  },
}

/** Types whose text is read as it is. */
const plain = /^(?:text\/|application\/(?:.+\+)?(?:json|xml|yaml|javascript|ld\+json|rss\+xml|atom\+xml)$)/

async function readFetched(pages: PageReader, { url, status, contentType, bytes }: Fetched, signal: AbortSignal): Promise<Followed> {
  if (status < 200 || status > 299) throw failure(`${url} answered ${status}${adviceOf[status] ?? ''}`)
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() || sniff(bytes)
  const isPage = type === 'text/html' || type === 'application/xhtml+xml'
  if (!isPage && !plain.test(type)) throw failure(`${url} is no page but ${type.slice(0, 80)}, which is not read: fetch it with a command`)
  const text = decodeText(bytes, contentType)
  if (!isPage) return { url, title: url, text, links: [] }
  const read = await pages.read({ url, html: text }, signal)
  if (read.text === '') throw failure(`${url} has no text in it: a script may write it, which the browser shows`)
  return { url, ...read }
}

const adviceOf: Readonly<Record<number, string>> = {
  401: ': it wants a login',
  403: ': it may refuse programs, and the browser may be let in',
  429: ': it is asked too often, try it later',
  503: ': try it later',
}

/** The type of what comes without one. */
function sniff(bytes: Uint8Array): string {
  if (bytes.subarray(0, 1000).includes(0)) return 'application/octet-stream'
  return /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 1000))) ? 'text/html' : 'text/plain'
}

export default backend
