import { type Block, type Dialect, renderMarkup } from '@agent/plugin-sdk'

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const wrap =
  (tag: string) =>
  (text: string): string =>
    `<${tag}>${text}</${tag}>`
const row = (cells: readonly string[], tag: string): string => wrap('tr')(cells.map(wrap(tag)).join(''))

/** What clients show of `org.matrix.custom.html`. */
const html: Dialect = {
  escape: escapeText,
  strong: wrap('strong'),
  emphasis: wrap('em'),
  strike: wrap('del'),
  code: (text) => wrap('code')(escapeText(text)),
  link: (text, url) => {
    const target = escapeText(url)
    return /^(https?|mailto|magnet|matrix|ftp):/i.test(url) ? `<a href="${target}">${text || target}</a>` : text || target
  },
  heading: (text, level) => wrap(`h${Math.min(Math.max(level, 1), 6)}`)(text),
  codeBlock: (text, language) => {
    const kind = language && /^[\w+#-]+$/.test(language) ? ` class="language-${language}"` : ''
    return `<pre><code${kind}>${escapeText(text)}\n</code></pre>`
  },
  quote: wrap('blockquote'),
  bullet: '',
  list: (items, start) => {
    const inner = items.map(wrap('li')).join('')
    return start === undefined ? wrap('ul')(inner) : `<ol start="${start}">${inner}</ol>`
  },
  table: (head, rows) => wrap('table')(wrap('thead')(row(head, 'th')) + wrap('tbody')(rows.map((cells) => row(cells, 'td')).join(''))),
  gap: '',
  lineBreak: '<br/>',
  paragraph: wrap('p'),
  rule: '<hr/>',
}

/** The HTML of a text; undefined where it says no more than the text itself. */
export function formatBody(body: readonly Block[] | undefined, text: string): string | undefined {
  if (!body || body.length === 0) return undefined
  const formatted = renderMarkup(body, html)
  return formatted === `<p>${escapeText(text)}</p>` ? undefined : formatted
}
