import { createHash } from 'node:crypto'

/** One thing that the specification says: a table row, a bullet or a paragraph that is a rule. */
export interface SpecRow {
  /** Headings above it, outermost first, without the document's title. */
  readonly section: string
  readonly text: string
  readonly hash: string
}

/** Lines that only introduce what follows, or say that something was not seen. */
const silent = [/:$/, /not shown\.$/, /^Naming convention/, /^This single document/]

/** Lists everything in the specification that must stand in the requirements. */
export function walkSpec(markdown: string): readonly SpecRow[] {
  const rows: SpecRow[] = []
  const headings: string[] = []
  const lines = markdown.split('\n')
  for (const [index, line] of lines.entries()) {
    const heading = /^(#{1,3}) (.*)$/.exec(line)
    if (heading) {
      headings.length = (heading[1]?.length ?? 1) - 1
      headings[(heading[1]?.length ?? 1) - 1] = heading[2] ?? ''
      continue
    }
    const text = readRow(line, lines[index + 1] ?? '')
    if (text !== undefined) rows.push({ section: headings.slice(1).join(' / '), text, hash: hashRow(text) })
  }
  return rows
}

function readRow(line: string, next: string): string | undefined {
  const isTable = line.startsWith('|')
  if (line.trim() === '' || (isTable && (/^\|[-| ]+\|$/.test(line) || /^\|[-| ]+\|$/.test(next)))) return undefined
  const text = line.replace(/^\s*(?:[-*]|\d+\.) /, '').trim()
  return !isTable && silent.some((pattern) => pattern.test(text)) ? undefined : text
}

/** Twelve hex digits that change when the row's words change, not when its spacing does. */
export function hashRow(text: string): string {
  return createHash('sha256').update(text.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 12)
}
