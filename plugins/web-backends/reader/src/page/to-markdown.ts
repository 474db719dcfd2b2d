import Turndown from 'turndown/lib/turndown.browser.cjs.js'

/** What is used of a node here; the library knows the rest. */
export interface PageNode {
  readonly nodeName: string
  readonly parentNode: PageNode | null
  readonly children?: ArrayLike<PageNode>
  getAttribute?(name: string): string | null
}

/** What is no text, and what only people can use. */
const silent = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'svg',
  'canvas',
  'button',
  'input',
  'select',
  'textarea',
  'title',
]

/** The Markdown of a part of a page. */
export function toMarkdown(node: PageNode): string {
  const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*' })
  turndown.remove(silent)
  turndown.addRule('pictures', { filter: 'img', replacement: (_inner, picture) => showPicture(picture) })
  turndown.addRule('bare links', {
    filter: (link) => link.nodeName === 'A' && !link.getAttribute?.('href'),
    replacement: (inner) => inner,
  })
  turndown.addRule('cells', {
    filter: ['td', 'th'],
    replacement: (inner) =>
      ` ${inner
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')} |`,
  })
  turndown.addRule('rows', { filter: 'tr', replacement: (inner, row) => `\n|${inner}${isFirstRow(row) ? ruleBelow(row) : ''}` })
  turndown.addRule('tables', { filter: ['table'], replacement: (inner) => `\n\n${inner.trim().replace(/\n{2,}/g, '\n')}\n\n` })
  return turndown.turndown(node).trim()
}

function showPicture(picture: PageNode): string {
  const alt = (picture.getAttribute?.('alt') ?? '').replace(/[[\]\n]/g, ' ').trim()
  const address = picture.getAttribute?.('src') ?? ''
  return alt === '' || address === '' ? alt : `![${alt}](${address})`
}

/** A table of Markdown has a head, also where that of the page has none. */
function isFirstRow(row: PageNode): boolean {
  let table: PageNode | null = row.parentNode
  while (table && table.nodeName !== 'TABLE') table = table.parentNode
  return table !== null && firstRowOf(table) === row
}

function firstRowOf(part: PageNode): PageNode | undefined {
  for (const child of Array.from(part.children ?? [])) {
    if (child.nodeName === 'TR') return child
    const row = /^T(?:HEAD|BODY|FOOT)$/.test(child.nodeName) ? firstRowOf(child) : undefined
    if (row) return row
  }
  return undefined
}

function ruleBelow(row: PageNode): string {
  return `\n|${' --- |'.repeat(row.children?.length ?? 1)}`
}
