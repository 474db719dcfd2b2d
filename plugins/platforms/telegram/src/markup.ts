import { type Block, type Dialect, type Inline, prefixLines, renderMarkup } from '@agent/plugin-sdk'

/** Writes a tree in MarkdownV2. */
export function formatMarkdownV2(blocks: readonly Block[]): string {
  return separateRuns(renderMarkup(blocks.map(flatten), markdownV2))
}

/** Telegram refuses a message in which one of these stands bare. */
const escapeText = (text: string): string => text.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&')
const escapeCode = (text: string): string => text.replace(/[`\\]/g, '\\$&')
const escapeUrl = (url: string): string => url.replace(/[)\\]/g, '\\$&')

/** An empty pair of signs is a mistake, and a pair inside the same pair ends it. */
const enclose =
  (sign: string) =>
  (text: string): string => {
    const inner = replaceSigns(text, (found) => (found === sign ? '' : found))
    return inner === '' ? '' : `${sign}${inner}${sign}`
  }

const markdownV2: Dialect = {
  escape: escapeText,
  strong: enclose('*'),
  emphasis: enclose('_'),
  strike: enclose('~'),
  code: (text) => (text === '' ? '' : `\`${escapeCode(text)}\``),
  link: (text, url) => (text === '' ? escapeText(url) : `[${text}](${escapeUrl(url)})`),
  heading: enclose('*'),
  codeBlock: (text, language) => `\`\`\`${language?.replace(/[^\w+#.-]/g, '') ?? ''}\n${escapeCode(text)}\n\`\`\``,
  quote: (text) => prefixLines(text, '>'),
  bullet: '• ',
}

/** Everything in which a sign means nothing, or a sign. */
const signs = /\\[\s\S]|```[\s\S]*?```|`(?:\\[\s\S]|[^`\\])*`|\]\((?:\\[\s\S]|[^)\\])*\)|__|[*_~]/g

function replaceSigns(text: string, replace: (sign: string) => string): string {
  return text.replace(signs, (found) => (/^(__|[*_~])$/.test(found) ? replace(found) : found))
}

/** Where one run in italics follows another, their signs would begin an underline; an empty bold run keeps them apart. */
function separateRuns(text: string): string {
  return replaceSigns(text, (sign) => (sign === '__' ? '_**_' : sign))
}

/** A quote may stand only at the start of a line, in no other quote, and cannot hold a block of code. */
function flatten(block: Block): Block {
  if (block.type === 'quote') return { type: 'quote', children: block.children.flatMap(withoutQuote).map(withoutCodeBlock) }
  return block.type === 'list' ? { ...block, items: block.items.map((item) => item.flatMap(withoutQuote)) } : block
}

function withoutQuote(block: Block): readonly Block[] {
  if (block.type === 'quote') return block.children.flatMap(withoutQuote)
  return block.type === 'list' ? [{ ...block, items: block.items.map((item) => item.flatMap(withoutQuote)) }] : [block]
}

function withoutCodeBlock(block: Block): Block {
  if (block.type === 'list') return { ...block, items: block.items.map((item) => item.map(withoutCodeBlock)) }
  if (block.type !== 'code') return block
  const lines = block.text.split('\n').map((text): Inline => ({ type: 'code', text }))
  return { type: 'paragraph', children: lines.flatMap((line, index) => (index === 0 ? [line] : [{ type: 'break' }, line])) }
}
