import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** What a command sees of the world: where it runs, whom it speaks to, how it ends. */
export interface Cli {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  /** The process environment as it was given; read through config/environment.ts only. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Profile named by `-p` or as the first word. */
  readonly profile: string | undefined
  readonly input: Readable & { readonly isTTY?: boolean }
  /** True when a person sits at standard input and output. */
  readonly terminal: boolean
  readonly colour: boolean
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number
  /** Fires on SIGINT and SIGTERM, unless a command takes them over. */
  readonly signal: AbortSignal
  /** A line on standard output. */
  out(text: string): void
  /** Text on standard output. What cannot be printed is seen by its number. */
  write(text: string): void
  /** A control sequence of ours for the terminal. */
  steer(sequence: string): void
  /** A line on standard error. */
  note(text: string): void
  /** One JSON document on standard output. */
  json(value: unknown): void
  /** Sets the exit code: 0 ok, 1 failed, 2 usage, 75 relaunch me, 130 interrupted. */
  exit(code: number): void
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/** Colours text where the terminal wants it. */
export function paint(cli: Pick<Cli, 'colour'>, style: keyof typeof styles, text: string): string {
  return cli.colour ? `\u001b[${styles[style]}m${text}\u001b[0m` : text
}

/** Aligned columns; the last one is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell))
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - visibleLength(cell))),
        )
        .join('  '),
    )
    .join('\n')
}

/** Colour codes take no room on the screen. */
function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length
}

/** Exit code of a process that is to be started again by what watches over it. */
export const startAgain = 75
