import { type Block, type Dialect, type Inline, plainDialect, prefixLines, renderInline, renderMarkup } from '@agent/plugin-sdk'

/** Writes a tree as Discord reads Markdown. */
export function formatMarkup(blocks: readonly Block[]): string {
  return renderMarkup(blocks.map(replaceTables), dialect)
}

const dialect: Dialect = {
  escape: escapeText,
  strong: (text) => `**${text}**`,
  emphasis: (text) => `*${text}*`,
  strike: (text) => `~~${text}~~`,
  code: formatCode,
  link: formatLink,
  heading: (text, level) => (level <= 3 ? `${'#'.repeat(level)} ${text}` : `**${text}**`),
  codeBlock: (text, language = '') => `\`\`\`${language}\n${text.replaceAll('```', '`\u200b``')}\n\`\`\``,
  quote: (text) => prefixLines(text, '> '),
  bullet: '- ',
}

/** Signs of Markdown become what they are; an address is left alone, and so is a name with low lines in it. */
function escapeText(text: string): string {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeSigns(part)))
    .join('')
}

function escapeSigns(text: string): string {
  return text
    .replace(/[\\*`~|]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replace(/\[(?=[^\]]*\]\()/g, '\\[')
    .replace(/^(\s*)(#{1,3} |-# |>|[-+] )/gm, '$1\\$2')
}

function formatCode(text: string): string {
  if (!text.includes('`')) return `\`${text}\``
  return text.includes('``') ? `\`${text.replaceAll('`', "'")}\`` : `\`\` ${text} \`\``
}

function formatLink(text: string, url: string): string {
  const bare = /^https?:\/\//i.test(url)
  if (!bare) return text === '' || text === url ? url : `${text} (${url})`
  if (text === '' || text === url) return url
  return `[${text}](${url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20')})`
}

/** Discord has no tables: they become blocks of code, in which columns stand below each other. */
function replaceTables(block: Block): Block {
  switch (block.type) {
    case 'table':
      return { type: 'code', text: formatTable([block.head, ...block.rows]) }
    case 'quote':
      return { ...block, children: block.children.map(replaceTables) }
    case 'list':
      return { ...block, items: block.items.map((item) => item.map(replaceTables)) }
    default:
      return block
  }
}

function formatTable(rows: readonly (readonly (readonly Inline[])[])[]): string {
  const texts = rows.map((row) => row.map((cell) => renderInline(cell, plainDialect).replaceAll('\n', ' ')))
  const columns = Math.max(...texts.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...texts.map((row) => [...(row[column] ?? '')].length), 1))
  const format = (row: readonly string[]): string =>
    widths
      .map((width, column) => padTo(row[column] ?? '', width))
      .join('  ')
      .trimEnd()
  const [head = [], ...body] = texts
  return [format(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(format)].join('\n')
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - [...text].length, 0))
}
