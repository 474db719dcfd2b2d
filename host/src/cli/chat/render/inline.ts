import { Lexer, type Token } from 'marked'
import { showText } from '#observe/printable.ts'
import { type Line, mix, run, type Style, styles } from './style.ts'

export interface InlineOptions {
  readonly style: Style
  readonly colour: boolean
}

/** The text of a paragraph, a heading or a cell. What is nested without end is text as it stands. */
export function readInline(text: string, { style, colour }: InlineOptions): Line {
  const shown = showText(text)
  if (!hasMarks(shown)) return [run(shown, style)]
  try {
    return Lexer.lexInline(shown, { gfm: true }).flatMap((token) => toRuns(token, { style, colour }))
  } catch (error) {
    if (error instanceof RangeError) return [run(shown, style)]
    throw error
  }
}

/** What may have another end further on. */
const opener = /\*(?=\S)|(?<!\w)_(?=\S)|`|~(?=\S)|\[[^\]]*$|<(?=[A-Za-z/!])[^>]*$/

/** Whether every mark of a text has found its other end, so that nothing that follows can change how it looks. */
export function isSettled(text: string): boolean {
  if (!hasMarks(text)) return true
  try {
    return Lexer.lexInline(text, { gfm: true }).every((token) => token.type !== 'text' || !opener.test(token.raw))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function hasMarks(text: string): boolean {
  return /[*_`~[\]<\\&]|:\/\/|www\.|@/.test(text)
}

const wrappers: Readonly<Record<string, Style>> = { strong: styles.bold, em: styles.italic, del: styles.strike }

function toRuns(token: Token, { style, colour }: InlineOptions): Line {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return inner(token, { style: mix(style, wrappers[token.type] ?? ''), colour })
    case 'codespan':
      return [run(colour ? token.text : token.raw, mix(style, styles.cyan))]
    case 'link':
      return link(token.href, inner(token, { style: mix(style, styles.underline), colour }), style)
    case 'image':
      return link(token.href, [run(token.text, style)], style)
    case 'br':
      return [run('\n')]
    case 'html':
      return [run(/^<br\s*\/?>$/i.test(token.raw) ? '\n' : token.raw, style)]
    case 'escape':
      return [run(token.text, style)]
    default:
      return 'tokens' in token && token.tokens ? inner(token, { style, colour }) : [run(decodeEntities(token.raw), style)]
  }
}

function inner({ tokens }: { readonly tokens?: readonly Token[] }, options: InlineOptions): Line {
  return (tokens ?? []).flatMap((token) => toRuns(token, options))
}

/** Where a link goes is always seen. */
function link(href: string, label: Line, style: Style): Line {
  const text = label.map((each) => each.text).join('')
  if (text === '') return [run(href, mix(style, styles.underline))]
  if (href === text || href === `mailto:${text}` || href === `http://${text}`) return label
  return [...label, run(` (${href})`, mix(style, styles.dim))]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'", nbsp: '\u00a0' }

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
}

/** Closes what a text that is not finished has opened, so that its look does not change when the end comes. */
export function closeMarks(text: string): string {
  const code = (text.match(/`/g) ?? []).length % 2 === 1
  if (code) return `${text}\``
  const bold = (text.match(/\*\*/g) ?? []).length % 2 === 1
  return bold && !text.endsWith('*') ? `${text}**` : text
}
