import headless from '@xterm/headless'

/** A terminal in memory that understands what a program writes to it. */
export interface FakeTerminal {
  /** Its side of the program. */
  readonly device: {
    columns(): number
    rows(): number
    readonly breaksAgain: 'above-cursor'
    write(sequence: string): void
    onResize(listener: () => void): () => void
  }
  /** All that was ever written, without empty lines at the end: what has scrolled away and what is on the screen. */
  text(): Promise<string>
  /** Where the cursor is, from the first line of all. */
  cursor(): Promise<{ readonly row: number; readonly column: number }>
  /** What was written since the last call, as it was sent. */
  sent(): string
  resize(columns: number, rows: number): Promise<void>
}

export function createFakeTerminal(columns = 40, rows = 12): FakeTerminal {
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
  const listeners = new Set<() => void>()
  let sent = ''
  const settled = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve))
  return {
    device: {
      columns: () => terminal.cols,
      rows: () => terminal.rows,
      breaksAgain: 'above-cursor',
      write: (sequence) => {
        sent += sequence
        terminal.write(sequence)
      },
      onResize: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    text: async () => {
      await settled()
      const { active } = terminal.buffer
      const lines = Array.from({ length: active.length }, (_, index) => active.getLine(index)?.translateToString(true) ?? '')
      return lines.join('\n').trimEnd()
    },
    cursor: async () => {
      await settled()
      const { baseY, cursorX, cursorY } = terminal.buffer.active
      return { row: baseY + cursorY, column: cursorX }
    },
    sent: () => {
      const before = sent
      sent = ''
      return before
    },
    resize: async (newColumns, newRows) => {
      await settled()
      terminal.resize(newColumns, newRows)
      for (const listener of listeners) listener()
    },
  }
}
