import { type Block, type Dialect, prefixLines, renderMarkup, replaceTables } from '@agent/plugin-sdk'

/** Writes a tree as Discord reads Markdown. */
export function formatMarkup(blocks: readonly Block[]): string {
  return renderMarkup(replaceTables(blocks), dialect)
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
  return /^[^`]*$|``/.test(text) ? `\`${text.replaceAll('`', "'")}\`` : `\`\` ${text} \`\``
}

function formatLink(text: string, url: string): string {
  if (text === '' || text === url) return url
  if (!/^https?:\/\//i.test(url)) return `${text} (${url})`
  return `[${text}](${url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20')})`
}
