import { existsSync, readFileSync } from 'node:fs'

/** Looks into a log that is being written. */
export interface LogReader {
  has(pattern: RegExp): boolean
  /** The last lines with this word in them. */
  tail(word: string, count: number): string
}

export function openLogReader(path: string): LogReader {
  const read = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  return {
    has: (pattern) => pattern.test(read()),
    tail: (word, count) =>
      read()
        .split('\n')
        .filter((line) => line.includes(word))
        .slice(-count)
        .map((line) => line.slice(0, 300))
        .join('\n'),
  }
}
