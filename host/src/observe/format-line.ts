export type LogName = 'agent' | 'gateway'

export const levels = ['debug', 'info', 'warn', 'error'] as const

/** Name of a level in lines and settings. */
export type LogLevel = (typeof levels)[number]

export interface ToldLine {
  /** By the clock of this machine; empty where the line does not tell it. */
  readonly at: string
  /** The same in milliseconds since 1970. */
  readonly time?: number
  /** Empty where the line is none of the program's. */
  readonly level: string
  readonly text: string
}

/** A line of a log file as a person reads it; a line that is no log line comes back as it is. */
export function formatLine(line: string): string {
  const told = tellLine(line)
  return told ? [told.at, told.level.padEnd(5), told.text].filter(Boolean).join(' ') : line
}

/** The parts of that line; undefined where it is none. */
export function tellLine(line: string): ToldLine | undefined {
  const entry = parseEntry(line)
  if (!entry) return undefined
  const { time, level, name, msg, fields } = entry
  return {
    at: typeof time === 'number' ? formatTime(time) : '',
    ...(typeof time === 'number' ? { time } : {}),
    level: String(level ?? ''),
    text: [`${String(name ?? '')}:`, oneLine(String(msg ?? '')), formatFields(fields)].filter(Boolean).join(' '),
  }
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    // Half a line after a power cut: shown as it is.
    return undefined
  }
}

function formatTime(time: number): string {
  const date = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** A message with a line break in it would look like two lines of the log. */
const oneLine = (text: string): string => text.replaceAll(/\r?\n/g, '\\n')

function formatFields(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null) return ''
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`)
    .join(' ')
}
