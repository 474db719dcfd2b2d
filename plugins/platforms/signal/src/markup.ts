import { type Block, type Dialect, prefixLines, renderMarkup } from '@agent/plugin-sdk'

/** A text as people see it, and what of it is shown how: `start:length:STYLE`, counted in UTF-16 units. */
export interface StyledText {
  readonly text: string
  readonly styles: readonly string[]
}

const styleNames = ['BOLD', 'ITALIC', 'STRIKETHROUGH', 'MONOSPACE'] as const
type Style = (typeof styleNames)[number]

/** While a tree is written, signs of the private area stand for the begin of each style and, behind these, for its end. */
const firstSign = 0xe000
const signs = /[\ue000-\ue007]/g

const sign = (style: Style, end: 0 | 1): string => String.fromCharCode(firstSign + styleNames.indexOf(style) * 2 + end)
const enclose = (style: Style) => (text: string) => (text === '' ? '' : sign(style, 0) + text + sign(style, 1))
const withoutSigns = (text: string): string => text.replace(signs, '')

const dialect: Dialect = {
  escape: withoutSigns,
  strong: enclose('BOLD'),
  emphasis: enclose('ITALIC'),
  strike: enclose('STRIKETHROUGH'),
  code: (text) => enclose('MONOSPACE')(withoutSigns(text)),
  codeBlock: (text) => enclose('MONOSPACE')(withoutSigns(text)),
  heading: enclose('BOLD'),
  link: (text, url) => (text === '' || withoutSigns(text) === url ? withoutSigns(url) : `${text} (${withoutSigns(url)})`),
  quote: (text) => prefixLines(text, '> '),
  bullet: '• ',
}

/** Writes a tree as text with ranges, as Signal shows styles. */
export function formatStyled(blocks: readonly Block[]): StyledText {
  const source = renderMarkup(blocks, dialect)
  const open = new Map<Style, number[]>()
  const styles: string[] = []
  let text = ''
  for (const piece of source.split(/([\ue000-\ue007])/)) {
    const code = piece.charCodeAt(0) - firstSign
    const style = code >= 0 && code < styleNames.length * 2 ? styleNames[code >> 1] : undefined
    if (!style) {
      text += piece
      continue
    }
    const starts = open.get(style) ?? []
    open.set(style, starts)
    if (code % 2 === 0) {
      starts.push(text.length)
      continue
    }
    const start = starts.pop() ?? text.length
    // Bold in bold is bold.
    if (starts.length === 0 && text.length > start) styles.push(`${start}:${text.length - start}:${style}`)
  }
  return { text, styles }
}
