import stringWidth from 'fast-string-width'

/** A terminal, as far as the screen needs it. */
export interface Device {
  columns(): number
  rows(): number
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
  const flush = (view: View, force: boolean): void => {
    const top = toTop(shown, device.columns())
    const isNew = force || finished.length > 0
    const body = isNew ? `${clearBelow}${finished.map((line) => `${line}\r\n`).join('')}${write(view, nothing)}` : write(view, shown)
    finished = []
    device.write(`${begin}${top}${body}${end}`)
    shown = view
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
function toTop({ lines, cursor }: View, columns: number): string {
  const above = lines.slice(0, cursor.row).reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0)
  return `\r${up(above + Math.floor(cursor.column / columns))}`
}

/** From the first line to the cursor of `view`, with only what differs from `shown` written. */
function write(view: View, shown: View): string {
  const parts = view.lines.map((line, index) => {
    const isThere = index < shown.lines.length
    const step = index === 0 ? '' : '\r\n'
    return isThere && shown.lines[index] === line ? step : `${step}${clearLine}${line}`
  })
  const isShorter = view.lines.length < shown.lines.length
  const rest = !isShorter ? '' : view.lines.length === 0 ? clearBelow : `\r\n${clearBelow}${up(1)}`
  const { row, column } = view.cursor
  return `${parts.join('')}${rest}\r${up(Math.max(0, view.lines.length - 1 - row))}${column > 0 ? `${csi}${column}C` : ''}`
}

function up(lines: number): string {
  return lines > 0 ? `${csi}${lines}A` : ''
}
