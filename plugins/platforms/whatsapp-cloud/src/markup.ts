import { type Block, type Dialect, prefixLines, renderMarkup } from '@agent/plugin-sdk'

/** Signs work only where they touch the words, and a pair inside the same pair would end it. WhatsApp knows no escapes. */
const enclose =
  (sign: string) =>
  (text: string): string => {
    const [, before = '', words = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text.replaceAll(sign, '')) ?? []
    return words === ''
      ? before + after
      : `${before}${words
          .split('\n')
          .map((line) => `${sign}${line}${sign}`)
          .join('\n')}${after}`
  }

const whatsapp: Dialect = {
  escape: (text) => text,
  strong: enclose('*'),
  emphasis: enclose('_'),
  strike: enclose('~'),
  code: (text) => (text.includes('`') || text === '' ? text : `\`${text}\``),
  link: (text, url) => (text === url || text === '' ? url : `${text} (${url})`),
  heading: enclose('*'),
  codeBlock: (text) => `\`\`\`${text.replaceAll('```', "'''")}\`\`\``,
  quote: (text) => prefixLines(text, '> '),
  bullet: '- ',
}

/** Writes a tree with the signs of WhatsApp. */
export const formatWhatsapp = (blocks: readonly Block[]): string => renderMarkup(blocks, whatsapp)
