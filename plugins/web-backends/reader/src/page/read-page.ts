import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom/worker'
import { type PageNode, toMarkdown } from './to-markdown.ts'

export interface PageText {
  readonly url: string
  readonly html: string
}

export interface ReadPage {
  readonly title: string
  /** Markdown. */
  readonly text: string
  /** Addresses that it links to, each once, without their place on the page. */
  readonly links: readonly string[]
}

interface PageElement extends PageNode {
  readonly textContent: string
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
}

interface PageDocument {
  readonly body: PageElement | null
  readonly documentElement: PageElement | null
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
}

const mostLinks = 500
/** A page with more of them would not fit into the memory of the thread. */
const mostTags = 100_000
/** To look for an article takes time that grows with the third power of the depth. */
const deepestArticle = 100
/** The libraries go down a page by calls of functions. */
const deepest = 200
const mostElements = 30_000
/** A longer address is put before every link of a page, or shown for each: a small page would become a huge text. */
const longestAddress = 2000
const longestTitle = 300
/** As much as is kept of a page. */
const mostText = 2_000_000

/** A page as Markdown: its article, or all of its body where it has none. */
export function readPage(page: PageText): ReadPage {
  const { title, text, links } = readWhole(page)
  return { title: title.replace(/\s+/g, ' ').slice(0, longestTitle), text: text.slice(0, mostText), links }
}

function readWhole({ url, html }: PageText): ReadPage {
  if (html.split('<', mostTags + 1).length > mostTags) throw new Error(`it has more than ${mostTags} tags`)
  const document = parse(html)
  const base = baseOf(document, url)
  const links = findLinks(document, base)
  const title = document.querySelector('title')?.textContent.trim() ?? ''
  const depth = depthOf(document.documentElement)
  if (depth > deepest) throw new Error(`its parts lie more than ${deepest} deep in each other`)
  const article = depth > deepestArticle ? undefined : findArticle(document)
  if (article) return { title: article.title.trim() || title || url, text: toMarkdown(article.content), links }
  // To look for the article has taken parts away.
  const whole = parse(html)
  findLinks(whole, base)
  return { title: title || url, text: whole.body ? toMarkdown(whole.body) : '', links }
}

/** Pages may leave out the tags html, head and body; this parser adds none of them. */
function parse(html: string): PageDocument {
  const { document } = parseHTML(/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html) ? html : wrap(html)) as unknown as {
    document: PageDocument
  }
  return document
}

function wrap(html: string): string {
  return `<!doctype html><html><head></head><body>${html.replace(/<!doctype[^>]{0,1000}>|<\/?(?:html|head|body)(?:\s[^>]{0,1000})?>/gi, '')}</body></html>`
}

/** How deep parts lie in each other; it is not counted further than matters. */
function depthOf(root: PageNode | null): number {
  let depth = 0
  for (let row = root ? [root] : []; row.length > 0 && depth <= deepest; depth += 1)
    row = row.flatMap(({ children }) => Array.from(children ?? []))
  return depth
}

function findArticle(document: PageDocument): { readonly title: string; readonly content: PageElement } | undefined {
  if ([...document.querySelectorAll('*')].length > mostElements) return undefined
  const options = { serializer: (node: unknown) => node as PageElement, disableJSONLD: true }
  const article = new Readability<PageElement>(document as never, options).parse()
  return article?.content && article.content.textContent.trim() !== ''
    ? { title: article.title ?? '', content: article.content }
    : undefined
}

function baseOf(document: PageDocument, url: string): string {
  const base = document.querySelector('base')?.getAttribute('href') ?? ''
  return base.length <= longestAddress && URL.canParse(base, url) ? new URL(base, url).href : url
}

/** Makes addresses of links and pictures whole, and answers those of the links. */
function findLinks(document: PageDocument, base: string): readonly string[] {
  for (const picture of document.querySelectorAll('img')) makeWhole(picture, 'src', base)
  const found = new Set<string>()
  for (const link of document.querySelectorAll('a')) {
    const whole = makeWhole(link, 'href', base)
    if (whole === undefined || found.size === mostLinks || /\bnofollow\b/i.test(link.getAttribute('rel') ?? '')) continue
    whole.hash = ''
    found.add(whole.href)
  }
  return [...found]
}

/** An address that is none of the web is of no use to who reads. */
function makeWhole(element: PageElement, name: string, base: string): URL | undefined {
  const value = element.getAttribute(name)
  const isShort = value !== null && value.length <= longestAddress
  const whole = isShort && URL.canParse(value, base) ? new URL(value, base) : undefined
  if (whole?.protocol === 'http:' || whole?.protocol === 'https:') {
    element.setAttribute(name, whole.href)
    return whole
  }
  if (value !== null) element.removeAttribute(name)
  return undefined
}
