/** A line of a log file, as far as it is about plugins. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly pid: number
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Undefined for half a line and for what is no line of ours. */
export function parseLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const { time, pid, msg, fields } = JSON.parse(line) as Readonly<Record<string, unknown>>
    const given = typeof fields === 'object' && fields !== null ? (fields as Readonly<Record<string, unknown>>) : {}
    return { time: Number(time), pid: Number(pid), message: String(msg ?? ''), fields: given }
  } catch {
    // Half a line after a power cut.
    return undefined
  }
}
