import type { Call, Clock, WebPage } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import type { Fetched, FetchWish } from './fetch-page.ts'
import { freeSite, parseRobots, type Robots } from './robots.ts'

export interface Crawler {
  readonly clock: Clock
  /** The name by which a robots.txt may speak of this program. */
  readonly agent: string
  fetch(wish: FetchWish, call: Call): Promise<Fetched>
  /** A page with the addresses that it links to. */
  read(url: string, call: Call, admit: FetchWish['admit']): Promise<WebPage & { readonly links: readonly string[] }>
}

/** Between two requests, unless the site asks for more. */
const pauseMs = 500
const longestPauseMs = 5000
/** No page is begun later than this: what was read until then is answered. */
const longestMs = 80_000
/** Pages that fail count too. */
const triesForEach = 3
const mostWaiting = 1000
const mostRobotsBytes = 500_000

/** A page, and pages of its site that it leads to, the nearest first. */
export async function crawl(
  crawler: Crawler,
  { url, most }: { readonly url: string; readonly most: number },
  call: Call,
): Promise<readonly WebPage[]> {
  const { clock } = crawler
  const until = clock.now() + longestMs
  const first = await readFirst(crawler, url, call)
  const { host } = new URL(first.url)
  const { robots, pause } = first
  const seen = new Set([url, first.url])
  const pages: WebPage[] = [pageOf(first)]
  const waiting: string[] = []
  const note = (links: readonly string[]): void => {
    for (const link of links) {
      if (waiting.length >= mostWaiting || seen.has(link) || new URL(link).host !== host) continue
      seen.add(link)
      waiting.push(link)
    }
  }
  note(first.links)
  const admit = async (address: URL): Promise<void> => {
    if (address.host !== host) throw failure(`${address.href} is on another site`)
    if (!isAllowed(robots, address)) throw refusal(address)
  }
  for (let tries = 1; tries < most * triesForEach && pages.length < most && clock.now() < until; tries += 1) {
    const next = waiting.shift()
    if (next === undefined) break
    await clock.sleep(pause, call.signal)
    const page = await crawler.read(next, call, admit).catch(() => undefined)
    call.signal.throwIfAborted()
    if (!page || (page.url !== next && seen.has(page.url))) continue
    seen.add(page.url)
    pages.push(pageOf(page))
    note(page.links)
  }
  return pages
}

const pageOf = ({ url, title, text }: WebPage): WebPage => ({ url, title, text })

/** The first page may lead to another site; that is the one that is followed, by its own rules. */
async function readFirst(crawler: Crawler, url: string, call: Call) {
  const sites = new Map<string, Robots>()
  const page = await crawler.read(url, call, async (address, within) => {
    const known = sites.get(address.origin) ?? (await fetchRobots(crawler, address, within))
    sites.set(address.origin, known)
    if (!isAllowed(known, address)) throw refusal(address)
  })
  const robots = sites.get(new URL(page.url).origin) ?? freeSite
  return { ...page, robots, pause: Math.min(longestPauseMs, Math.max(pauseMs, robots.delay * 1000)) }
}

async function fetchRobots({ fetch, agent }: Crawler, { origin }: URL, call: Call): Promise<Robots> {
  const { status, bytes } = await fetch({ url: `${origin}/robots.txt`, mostBytes: mostRobotsBytes }, call)
  if (status >= 500) throw failure(`${origin}/robots.txt answered ${status}, so it is not known which pages may be followed: try it later`)
  return status >= 400 ? freeSite : parseRobots(new TextDecoder().decode(bytes), agent)
}

const isAllowed = (robots: Robots, { pathname, search }: URL): boolean => pathname === '/robots.txt' || robots.allows(pathname + search)

function refusal({ origin, href }: URL): Error {
  return failure(`${origin}/robots.txt asks programs not to follow ${href}; web_extract reads a single page that somebody names`)
}
