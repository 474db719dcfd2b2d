import stringWidth from 'fast-string-width'
import { showText } from '#observe/printable.ts'
import { type Draft, describeMark } from './draft.ts'

/** A line of the screen that shows a part of a draft. */
export interface Row {
  readonly shown: string
  /** Where its part begins in the text of the draft. */
  readonly start: number
  readonly end: number
}

export interface Layout {
  readonly rows: readonly Row[]
  /** Where the cursor is: a row, and how many columns stand before it. */
  readonly row: number
  readonly column: number
}

interface Cell {
  readonly shown: string
  readonly width: number
  readonly start: number
  readonly end: number
  readonly isSpace: boolean
}

const tab = '  '
const segmenter = new Intl.Segmenter()

/** Lines of the screen for a draft: broken between words where that is possible. */
export function layOut(draft: Draft, columns: number): Layout {
  const rows: Row[] = []
  let start = 0
  for (const line of draft.text.split('\n')) {
    rows.push(...breakLine(cellsOf(draft, line, start), start, Math.max(1, columns)))
    start += line.length + 1
  }
  const row = Math.max(
    0,
    rows.findLastIndex((each) => each.start <= draft.cursor),
  )
  return { rows, row, column: columnOf(draft, rows[row], draft.cursor) }
}

/** Where in the text the column of a row is. */
export function cursorAt(draft: Draft, { start, end }: Row, column: number): number {
  let at = 0
  for (const cell of cellsOf(draft, draft.text.slice(start, end), start)) {
    if (at + cell.width > column) return cell.start
    at += cell.width
  }
  return end
}

function columnOf(draft: Draft, row: Row | undefined, cursor: number): number {
  if (!row) return 0
  return cellsOf(draft, draft.text.slice(row.start, Math.min(cursor, row.end)), row.start).reduce((sum, { width }) => sum + width, 0)
}

function cellsOf({ pastes }: Draft, line: string, start: number): Cell[] {
  if (line === '') return []
  return [...segmenter.segment(line)].map(({ segment, index }) => {
    const shown = describeMark(pastes, segment) ?? (segment === '\t' ? tab : showText(segment))
    return { shown, width: stringWidth(shown), start: start + index, end: start + index + segment.length, isSpace: segment === ' ' }
  })
}

function breakLine(cells: readonly Cell[], start: number, columns: number): Row[] {
  const rows: Row[] = []
  let row: Cell[] = []
  let width = 0
  const finish = (length: number): void => {
    const taken = row.slice(0, length)
    rows.push(toRow(taken, taken[0]?.start ?? start))
    row = row.slice(length)
    width = row.reduce((sum, cell) => sum + cell.width, 0)
  }
  for (const cell of cells) {
    if (width + cell.width > columns && row.length > 0) {
      const space = row.findLastIndex(({ isSpace }) => isSpace)
      finish(cell.isSpace || space < 0 ? row.length : space + 1)
    }
    row.push(cell)
    width += cell.width
  }
  rows.push(toRow(row, row[0]?.start ?? rows.at(-1)?.end ?? start))
  return rows
}

function toRow(cells: readonly Cell[], start: number): Row {
  return { shown: cells.map(({ shown }) => shown).join(''), start, end: cells.at(-1)?.end ?? start }
}
