import { type Block, type Dialect, prefixLines, renderMarkup } from '@agent/plugin-sdk'

/** The three signs that Slack reads in any text. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Slack formats only what stands in one line, without space at the edges. */
const wrap =
  (sign: string) =>
  (text: string): string =>
    text.replace(/^([^\S\n]*)(\S.*?)([^\S\n]*)$/gm, `$1${sign}$2${sign}$3`)

const mrkdwn: Dialect = {
  escape: escapeText,
  strong: wrap('*'),
  emphasis: wrap('_'),
  strike: wrap('~'),
  code: (text) => `\`${escapeText(text)}\``,
  link: (text, url) => {
    const target = escapeText(url).replaceAll('|', '%7C')
    const label = text.replace(/[\n|]/g, ' ').trim()
    return label === '' || label === target ? `<${target}>` : `<${target}|${label}>`
  },
  heading: (text) => wrap('*')(text.replaceAll('*', '')),
  codeBlock: (text) => `\`\`\`\n${escapeText(text)}\n\`\`\``,
  quote: (text) => prefixLines(text, '> '),
  bullet: '• ',
}

export const formatBody = (body: readonly Block[]): string => renderMarkup(body, mrkdwn)

/** Members that a text names, without doubles. */
export function findMembers(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/<@([UW]\w+)/g)].map(([, id = '']) => id))]
}

/** What a person wrote, from Slack's signs: names for ids, links as Markdown, and our own name taken off. */
export function readText(text: string, self: string, names: ReadonlyMap<string, string>): string {
  const others = text.replace(/<@(\w+)(\|[^>]*)?>[ \t]?/g, (whole, id: string) => (id === self ? '' : whole))
  return unescapeText(others.replace(/<([^<>\n]+)>/g, (_, inside: string) => readSign(inside, names))).trim()
}

function readSign(inside: string, names: ReadonlyMap<string, string>): string {
  const [target = '', label = ''] = inside.split('|', 2)
  const id = target.slice(1)
  if (target.startsWith('@')) return `@${names.get(id) ?? (label || id)}`
  if (target.startsWith('#')) return `#${label || id}`
  if (target.startsWith('!')) return label || `@${id}`
  const address = target.replace(/^(mailto|tel):/, '')
  return label === '' || address.endsWith(label) ? address : `[${label}](${target})`
}
