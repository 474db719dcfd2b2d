import type { Colours } from './code-colours.ts'
import { type Line, mix, run, type Style, styles } from './style.ts'
import type { RowMemory, Table, TableLayout } from './table.ts'
import { lineWidth } from './wrap.ts'

/** What a block stands in. An item's `indent` is how far its content stands in the source. */
export type Container =
  | { readonly type: 'quote' }
  | {
      readonly type: 'item'
      readonly indent: number
      /** The sign of the list: items with another one begin a list. */
      readonly kind: string
      readonly number: number
      readonly label: string
      readonly isShown: boolean
    }

/** The block that is read now. */
export type Leaf =
  | {
      readonly type: 'paragraph'
      readonly text: string
      /** The line that the part of the paragraph that is finished ended with. */
      readonly carry: Line
      readonly style: Style
      /** It ends with its line, as a heading does. */
      readonly isSingle: boolean
    }
  | {
      readonly type: 'code'
      /** Absent: what is indented. */
      readonly fence?: { readonly sign: string; readonly length: number; readonly indent: number }
      readonly colours: Colours
      /** What is inside of at the end of a line, such as a comment. */
      readonly inside: string
      readonly line: string
    }
  // With a layout its head and first rows are finished.
  | ({ readonly type: 'table'; readonly layout?: TableLayout } & Table)

/** A text that is being laid out. Its members are replaced, never changed, so that a copy can be laid out further and thrown away. */
export interface Page {
  readonly columns: () => number
  readonly colour: boolean
  readonly style: Style
  readonly rowMemory: RowMemory
  /** What is laid out now is thrown away. */
  readonly isDraft: boolean
  /** Lines that are finished. */
  lines: Line[]
  containers: readonly Container[]
  leaf: Leaf | undefined
  /** An empty line that comes before the next block, with what stands at its left. */
  gap: Line | undefined
  isStarted: boolean
}

/** Columns that are left for text, however deep it stands. */
const leastWidth = 12

export function roomFor({ columns, containers }: Page): number {
  return Math.max(leastWidth, columns() - lineWidth(indentOf(containers, columns())))
}

/** Writes finished lines at the place where the page is. */
export function emit(page: Page, lines: readonly Line[]): void {
  if (page.gap && page.isStarted) page.lines.push(page.gap)
  page.gap = undefined
  page.isStarted = true
  for (const line of lines) {
    page.lines.push([...indentOf(page.containers, page.columns()), ...line])
    page.containers = page.containers.map((each) => (each.type === 'item' && !each.isShown ? { ...each, isShown: true } : each))
  }
}

/** What stands before a line: bars of quotes, signs of items. What is too deep for the screen loses its outermost. */
function indentOf(containers: readonly Container[], columns: number): Line {
  const parts = containers.map((each) => {
    if (each.type === 'quote') return run('│ ', styles.dim)
    return each.isShown ? run(' '.repeat(each.label.length)) : run(each.label, styles.dim)
  })
  while (parts.length > 1 && lineWidth(parts) > columns - leastWidth) parts.shift()
  return parts
}

/** What an empty line has at its left. */
export function gapIn(containers: readonly Container[], columns: number): Line {
  const last = containers.findLastIndex(({ type }) => type === 'quote')
  const inQuotes = containers.slice(0, last + 1).map((each) => (each.type === 'item' ? { ...each, isShown: true } : each))
  return indentOf(inQuotes, columns).map(({ text, style }) => run(text === '│ ' ? '│' : text, style))
}

export function dim(text: string, page: Page): Line {
  return [run(text, mix(page.style, styles.dim))]
}
