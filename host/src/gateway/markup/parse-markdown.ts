import type { Block, Inline } from '@agent/plugin-sdk'
import { Lexer, type Token, type Tokens } from 'marked'
import { chunkText } from './chunk.ts'

/** Levels of JSON that a tree may have: it crosses borders that refuse deeper ones. */
const deepest = 60

/** The parser takes time by the square of what stands without a break: a longer text is parsed in pieces of this length. */
const longestPiece = 4_000

/** A line whose quotes and lists are nested deeper than anybody can show them; a rule of spaced signs is none. */
const nestedLine = /^(?![ \t]*(?:[-*_][ \t]*)+$)(?:[ \t]*(?:>|[*+-](?=[ \t])|\d{1,9}[.)](?=[ \t]))){21}/m

/**
 * Reads Markdown as chats write it: a line break is a line break, and HTML is text. What is nested without end is text as it stands. Others have their
 * turn between the pieces of a long text.
 */
export async function parseMarkdown(text: string): Promise<readonly Block[]> {
  const blocks: Block[] = []
  for (const piece of piecesOf(text)) {
    if (blocks.length > 0) await new Promise(setImmediate)
    blocks.push(...parsePiece(piece))
  }
  return blocks
}

function piecesOf(text: string): readonly string[] {
  return text.length <= 2 * longestPiece || nestedLine.test(text) ? [text] : chunkText(text, { maxLength: longestPiece, unit: 'utf16' })
}

function parsePiece(text: string): readonly Block[] {
  const plain: readonly Block[] = [{ type: 'paragraph', children: [{ type: 'text', text }] }]
  if (nestedLine.test(text)) return plain
  try {
    const blocks = toBlocks(Lexer.lex(text, { gfm: true }))
    return isDeeper(blocks, deepest) ? plain : blocks
  } catch (error) {
    if (error instanceof RangeError) return plain
    throw error
  }
}

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((inner) => isDeeper(inner, left - 1))
}

function toBlocks(tokens: readonly Token[]): readonly Block[] {
  return tokens.flatMap((token) => toBlock(token))
}

const makers: Readonly<Record<string, (token: never) => Block>> = {
  heading: ({ depth, tokens }: Tokens.Heading) => ({ type: 'heading', level: depth, children: toInline(tokens) }),
  code: ({ text, lang }: Tokens.Code) => ({ type: 'code', text, ...(lang ? { language: lang } : {}) }),
  blockquote: ({ tokens }: Tokens.Blockquote) => ({ type: 'quote', children: toBlocks(tokens) }),
  list: ({ ordered, start, items }: Tokens.List) => ({
    type: 'list',
    ...(ordered ? { start: Number(start) } : {}),
    items: items.map((item) => toItem(item)),
  }),
  table: ({ header, rows }: Tokens.Table) => ({
    type: 'table',
    head: header.map((cell) => toInline(cell.tokens)),
    rows: rows.map((row) => row.map((cell) => toInline(cell.tokens))),
  }),
  hr: () => ({ type: 'rule' }),
}

function toBlock(token: Token): readonly Block[] {
  const make = makers[token.type] as ((token: Token) => Block) | undefined
  if (make) return [make(token)]
  if (token.type === 'space' || token.type === 'def') return []
  const children = toInline([token])
  return children.length === 0 ? [] : [{ type: 'paragraph', children }]
}

/** A box that can be ticked is shown as one, before the text of its item. */
function toItem({ task, checked, tokens }: Tokens.ListItem): readonly Block[] {
  const blocks = toBlocks(tokens)
  const [first, ...rest] = blocks
  if (!task || first?.type !== 'paragraph') return blocks
  return [{ ...first, children: joinTexts([{ type: 'text', text: checked ? '☑ ' : '☐ ' }, ...first.children]) }, ...rest]
}

function toInline(tokens: readonly Token[]): readonly Inline[] {
  return joinTexts(tokens.flatMap((token) => toRun(token)))
}

const wrappers = { strong: 'strong', em: 'emphasis', del: 'strike' } as const

function toRun(token: Token): readonly Inline[] {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return [{ type: wrappers[token.type as keyof typeof wrappers], children: toInline(token.tokens ?? []) }]
    case 'codespan':
      return [{ type: 'code', text: token.text }]
    case 'link':
      return [{ type: 'link', url: token.href, children: toInline(token.tokens ?? []) }]
    case 'image':
      return [{ type: 'image', url: token.href, alt: token.text }]
    case 'br':
      return [{ type: 'break' }]
    case 'html':
      return [/^<br\s*\/?>$/i.test(token.text.trim()) ? { type: 'break' } : { type: 'text', text: token.text.replace(/\n$/, '') }]
    case 'escape':
      return [{ type: 'text', text: token.text }]
    case 'checkbox':
      return []
    default:
      return toText(token)
  }
}

function toText({ tokens, raw }: { readonly tokens?: readonly Token[]; readonly raw: string }): readonly Inline[] {
  return tokens ? toInline(tokens) : [{ type: 'text', text: decodeEntities(raw) }]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'", nbsp: '\u00a0' }

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
}

function joinTexts(runs: readonly Inline[]): readonly Inline[] {
  const joined: Inline[] = []
  for (const run of runs) {
    const last = joined.at(-1)
    if (run.type === 'text' && run.text === '') continue
    if (run.type === 'text' && last?.type === 'text') joined[joined.length - 1] = { type: 'text', text: last.text + run.text }
    else joined.push(run)
  }
  return joined
}
