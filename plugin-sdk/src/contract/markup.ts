/** A run of text inside a block. */
export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'link'; readonly url: string; readonly children: readonly Inline[] }
  | { readonly type: 'image'; readonly url: string; readonly alt: string }
  | { readonly type: 'break' }

/** A block of a marked-up text: what Markdown says, without its signs. */
export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly text: string; readonly language?: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | {
      readonly type: 'list'
      /** Number of the first item; absent: bullets. */
      readonly start?: number
      readonly items: readonly (readonly Block[])[]
    }
  | { readonly type: 'table'; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: 'rule' }

/** How a platform writes each thing. Texts that come in are escaped already, except those of `code` and `codeBlock`. */
export interface Dialect {
  escape(text: string): string
  strong(text: string): string
  emphasis(text: string): string
  strike(text: string): string
  code(text: string): string
  link(text: string, url: string): string
  heading(text: string, level: number): string
  codeBlock(text: string, language: string | undefined): string
  quote(text: string): string
  /** Stands before an item of a list without numbers. */
  readonly bullet: string
  /** A list or a table in its own way; without it lists are lines, and a table is one bullet for each row. */
  readonly list?: (items: readonly string[], start: number | undefined) => string
  readonly table?: (head: readonly string[], rows: readonly (readonly string[])[]) => string
  /** Stands between blocks. */
  readonly gap?: string
  readonly lineBreak?: string
  readonly paragraph?: (text: string) => string
  readonly rule?: string
}

/** Signs left out: for platforms that show text as it is. */
export const plainDialect: Dialect = {
  escape: (text) => text,
  strong: (text) => text,
  emphasis: (text) => text,
  strike: (text) => text,
  code: (text) => text,
  link: (text, url) => (text === url || text === '' ? url : `${text} (${url})`),
  heading: (text) => text,
  codeBlock: (text) => text,
  quote: (text) => prefixLines(text, '> '),
  bullet: '- ',
}

/** Writes a tree in the dialect of a platform. */
export function renderMarkup(blocks: readonly Block[], dialect: Dialect): string {
  return blocks.map((block) => renderBlock(block, dialect)).join(dialect.gap ?? '\n\n')
}

/** Puts a sign before every line of a text. */
export function prefixLines(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n')
}

function renderBlock(block: Block, dialect: Dialect): string {
  switch (block.type) {
    case 'paragraph':
      return (dialect.paragraph ?? ((text: string) => text))(renderInline(block.children, dialect))
    case 'heading':
      return dialect.heading(renderInline(block.children, dialect), block.level)
    case 'code':
      return dialect.codeBlock(block.text, block.language)
    case 'quote':
      return dialect.quote(renderMarkup(block.children, dialect))
    case 'list':
      return renderList(block, dialect)
    case 'table':
      return renderTable(block, dialect)
    case 'rule':
      return dialect.rule ?? dialect.escape('———')
  }
}

/** The runs of one block in the dialect of a platform. */
export function renderInline(children: readonly Inline[], dialect: Dialect): string {
  return children.map((child) => renderRun(child, dialect)).join('')
}

function renderRun(run: Inline, dialect: Dialect): string {
  switch (run.type) {
    case 'text':
      return dialect.escape(run.text)
    case 'code':
      return dialect.code(run.text)
    case 'link':
      return dialect.link(renderInline(run.children, dialect), run.url)
    case 'image':
      return dialect.link(dialect.escape(run.alt), run.url)
    case 'break':
      return dialect.lineBreak ?? '\n'
    default:
      return dialect[run.type](renderInline(run.children, dialect))
  }
}

function renderList({ items, start }: Extract<Block, { type: 'list' }>, dialect: Dialect): string {
  const inner: Dialect = { ...dialect, gap: dialect.list ? (dialect.gap ?? '\n\n') : '\n' }
  const texts = items.map((item) => renderMarkup(item, inner))
  if (dialect.list) return dialect.list(texts, start)
  return texts
    .map((text, index) => {
      const sign = start === undefined ? dialect.bullet : dialect.escape(`${start + index}. `)
      return `${sign}${text.replaceAll('\n', `\n${' '.repeat(3)}`)}`
    })
    .join('\n')
}

function renderTable({ head, rows }: Extract<Block, { type: 'table' }>, dialect: Dialect): string {
  const titles = head.map((cell) => renderInline(cell, dialect))
  const cells = rows.map((row) => row.map((cell) => renderInline(cell, dialect)))
  if (dialect.table) return dialect.table(titles, cells)
  const join = (parts: readonly string[]): string => `${dialect.bullet}${parts.filter((part) => part !== '').join(dialect.escape('; '))}`
  const named = (cell: string, index: number): string =>
    cell === '' || !titles[index] ? cell : `${titles[index]}${dialect.escape(': ')}${cell}`
  return cells.length === 0 ? join(titles) : cells.map((row) => join(row.map(named))).join('\n')
}

/** Tables as blocks of code, in which the columns stand below each other: for platforms that have no tables. */
export function replaceTables(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block): Block => {
    switch (block.type) {
      case 'table':
        return { type: 'code', text: alignTable([block.head, ...block.rows]) }
      case 'quote':
        return { ...block, children: replaceTables(block.children) }
      case 'list':
        return { ...block, items: block.items.map(replaceTables) }
      default:
        return block
    }
  })
}

function alignTable(rows: readonly (readonly (readonly Inline[])[])[]): string {
  const texts = rows.map((row) => row.map((cell) => renderInline(cell, plainDialect).replaceAll('\n', ' ')))
  const lengthOf = (text = ''): number => [...text].length
  const columns = Array.from({ length: Math.max(...texts.map((row) => row.length)) }, (_, column) => column)
  const widths = columns.map((column) => Math.max(...texts.map((row) => lengthOf(row[column])), 1))
  const format = (row: readonly string[]): string =>
    widths
      .map((width, column) => (row[column] ?? '') + ' '.repeat(width - lengthOf(row[column])))
      .join('  ')
      .trimEnd()
  const [head = [], ...body] = texts
  return [format(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(format)].join('\n')
}
