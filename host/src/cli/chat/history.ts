import { existsSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '#config/home/atomic-file.ts'

/** What was typed before, newest first, as readline wants it. */
export function readHistory(file: string): string[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).reverse()
}

export function writeHistory(file: string, history: readonly string[]): void {
  writeFileAtomic(file, `${[...history].reverse().join('\n')}\n`)
}
