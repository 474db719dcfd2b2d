import { type Line, mix, type Run, run, styles } from './style.ts'
import { lineWidth, wrap } from './wrap.ts'

export type Align = 'left' | 'right' | 'center'

export interface TableCell {
  readonly text: Line
  /** Columns of its widest line. */
  readonly width: number
}

export interface TableRow {
  readonly cells: readonly TableCell[]
}

export interface Table {
  readonly head: TableRow
  readonly align: readonly Align[]
  readonly rows: readonly TableRow[]
}

/** How a table is laid out; found from its first rows, and kept for those that follow. */
export interface TableLayout {
  /** Columns of the screen for each column; none: each row is a list of its cells. */
  readonly widths: readonly number[]
  /** A row takes several lines, so that rows need a line between them. */
  readonly isTall: boolean
}

/** Rows that were laid out, and for which widths: a table that grows lays out its new ones only. */
export type RowMemory = WeakMap<TableRow, { readonly widths: string; readonly lines: readonly Line[] }>

const separator = ' │ '
/** A column that is narrower than this cannot be read. */
const leastWidth = 5

/** Splits a row of the source into its cells. */
export function splitCells(line: string): readonly string[] {
  const text = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** How the columns of a delimiter row are aligned; undefined where the line is none. */
export function readAlignment(line: string): readonly Align[] | undefined {
  if (!/^[\s|:-]*-[\s|:-]*$/.test(line)) return undefined
  const cells = splitCells(line)
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  return cells.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : 'left'))
}

export function cellOf(text: Line): TableCell {
  const lines = wrap(text, { width: Number.POSITIVE_INFINITY, longWords: 'leave' })
  return { text, width: Math.max(1, ...lines.map(lineWidth)) }
}

export function layOutTable({ head, align, rows }: Table, width: number, memory: RowMemory): TableLayout {
  const wanted = head.cells.map((cell, index) => Math.max(cell.width, ...rows.map(({ cells }) => cells[index]?.width ?? 0)))
  const widths = share(wanted, width - separator.length * (wanted.length - 1))
  return { widths, isTall: widths.length > 0 && rows.some((row) => rowLines(row, align, widths, memory).length > 1) }
}

/** Narrow columns get what they want, the wide ones share the rest; none where that would be too little to read. */
function share(wanted: readonly number[], room: number): readonly number[] {
  if (wanted.reduce((sum, each) => sum + each, 0) <= room) return wanted
  let left = room
  const given = new Map<number, number>()
  const byWidth = [...wanted.entries()].sort(([, one], [, other]) => one - other)
  for (const [place, [index, width]] of byWidth.entries()) {
    const fair = Math.floor(left / (byWidth.length - place))
    given.set(index, Math.min(width, fair))
    left -= Math.min(width, fair)
  }
  const widths = wanted.map((_, index) => given.get(index) ?? 0)
  return widths.some((width, index) => width < Math.min(leastWidth, wanted[index] ?? 0)) ? [] : widths
}

export function tableHead({ head, align }: Table, { widths }: TableLayout, memory: RowMemory): readonly Line[] {
  if (widths.length === 0) return []
  return [...rowLines(head, align, widths, memory), rule(widths)]
}

export function tableRows({ head, align, rows }: Table, { widths, isTall }: TableLayout, memory: RowMemory): readonly Line[] {
  const [first, ...others] = rows.map((row) => (widths.length === 0 ? asList(head, row) : rowLines(row, align, widths, memory)))
  const between = tableGap({ widths, isTall })
  return first ? [...first, ...others.flatMap((lines) => [...between, ...lines])] : []
}

/** What separates rows that are laid out later from those before them. */
export function tableGap({ widths, isTall }: TableLayout): readonly Line[] {
  return widths.length === 0 ? [[]] : isTall ? [rule(widths)] : []
}

function asList(head: TableRow, { cells }: TableRow): readonly Line[] {
  return head.cells.map(({ text }, index) => [...text, run(': '), ...(cells[index]?.text ?? [])])
}

function rule(widths: readonly number[]): Line {
  return [run(widths.map((width) => '─'.repeat(width)).join('─┼─'), styles.dim)]
}

function rowLines(row: TableRow, align: readonly Align[], widths: readonly number[], memory: RowMemory): readonly Line[] {
  const known = memory.get(row)
  const key = widths.join()
  if (known?.widths === key) return known.lines
  const cells = widths.map((width, index) => wrap(row.cells[index]?.text ?? [], { width, longWords: 'break' }))
  const height = Math.max(...cells.map((cell) => cell.length))
  const lines = Array.from({ length: height }, (_, at) => {
    const parts: Run[] = []
    for (const [index, cell] of cells.entries()) {
      if (index > 0) parts.push(run(separator, styles.dim))
      parts.push(...pad(cell[at] ?? [], widths[index] ?? 0, align[index] ?? 'left', index === cells.length - 1))
    }
    return parts
  })
  memory.set(row, { widths: key, lines })
  return lines
}

function pad(line: Line, width: number, align: Align, isLast: boolean): Line {
  const free = Math.max(0, width - lineWidth(line))
  const before = line.length === 0 ? 0 : align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0
  const after = isLast ? 0 : free - before
  return [run(' '.repeat(before)), ...line, run(' '.repeat(after))]
}

/** The text of a column's head. */
export function headCell(text: Line): TableCell {
  return cellOf(text.map((each) => run(each.text, mix(each.style, styles.bold))))
}
