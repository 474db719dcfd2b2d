import stringWidth from 'fast-string-width'

/** A terminal, as far as the screen needs it. */
export interface Device {
  columns(): number
  rows(): number
  /** What it does with lines that are on it when it becomes narrower; where they stay as they are, what is too long is cut. */
  readonly breaksAgain: 'all' | 'above-cursor' | 'none'
  write(sequence: string): void
  /** Calls the listener whenever the size has changed; returns what ends that. */
  onResize(listener: () => void): () => void
}

/** What stands at the bottom and changes. */
export interface View {
  readonly lines: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

export interface LiveRegion {
  /** Lines that are finished: they are written once, above what changes, and scroll away as any other text. */
  commit(lines: readonly string[]): void
  /** Draws what changes. Lines that are the same as before are left as they are. */
  draw(view: View): void
  /** Empties the screen; what has scrolled away stays. */
  clearScreen(): void
  /** Takes away what changes, and leaves the cursor below what is finished. */
  erase(): void
}

const csi = '\u001b['
const begin = `${csi}?2026h${csi}?25l`
const end = `${csi}?25h${csi}?2026l`
const clearLine = `${csi}K`
const clearBelow = `${csi}J`

const nothing: View = { lines: [], cursor: { row: 0, column: 0 } }

/** The bottom of a terminal: each frame is one write, and nothing above it is ever touched. */
export function createLiveRegion(device: Device): LiveRegion {
  let shown: View = nothing
  let finished: string[] = []
  /** Of the last frame. */
  let columns = device.columns()
  const flush = (view: View, force: boolean): void => {
    if (!force && finished.length === 0 && isSame(view, shown) && columns === device.columns()) return
    const top = columns === device.columns() ? `\r${up(shown.cursor.row)}` : toTop(shown, device)
    const isNew = force || finished.length > 0 || columns !== device.columns()
    const above = finished.map((line) => writeWhole(line, device.columns())).join('')
    const below = isNew ? write(view, nothing, true) : write(view, shown, view.lines.length < shown.lines.length)
    finished = []
    device.write(`${begin}${top}${above}${below}${end}`)
    shown = view
    columns = device.columns()
  }
  return {
    commit: (lines) => void finished.push(...lines),
    draw: (view) => flush(view, false),
    clearScreen: () => {
      device.write(`${csi}2J${csi}H`)
      shown = nothing
    },
    erase: () => flush(nothing, true),
  }
}

/** From the cursor to the first column of the first line. A terminal that became narrower has broken the lines again. */
function toTop({ lines, cursor }: View, { columns, breaksAgain }: Device): string {
  const width = breaksAgain === 'none' ? Number.POSITIVE_INFINITY : columns()
  const above = lines.slice(0, cursor.row).reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / width)), 0)
  return `\r${up(above + (breaksAgain === 'all' ? Math.floor(cursor.column / width) : 0))}`
}

/** Over what stood there. What is cleared from the first place of a screen goes to what has scrolled away, in tmux: so nothing is, but the rest of a line. */
function writeWhole(line: string, columns: number): string {
  const width = stringWidth(line)
  const isFull = width > 0 && width % columns === 0
  return `${clearLine}${line}${isFull ? '' : clearLine}\r\n`
}

/** From the first line to the cursor of `view`, with only what differs from `shown` written; below it there is nothing then. */
function write(view: View, shown: View, clears: boolean): string {
  const parts = view.lines.map((line, index) => {
    const isThere = index < shown.lines.length
    const step = index === 0 ? '' : '\r\n'
    const isLast = clears && index === view.lines.length - 1
    return isThere && !isLast && shown.lines[index] === line ? step : `${step}${clearLine}${line}`
  })
  const rest = clears ? clearBelow : ''
  const { row, column } = view.cursor
  return `${parts.join('')}${rest}\r${up(Math.max(0, view.lines.length - 1 - row))}${column > 0 ? `${csi}${column}C` : ''}`
}

function isSame(left: View, right: View): boolean {
  const { row, column } = left.cursor
  const isThere = row === right.cursor.row && column === right.cursor.column
  return isThere && left.lines.length === right.lines.length && left.lines.every((line, index) => line === right.lines[index])
}

function up(lines: number): string {
  return lines > 0 ? `${csi}${lines}A` : ''
}
