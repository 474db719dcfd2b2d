import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { TestHome } from './test-home.ts'

/** Command lines of the programs that were started for a home and still run. */
export function readStarted(home: TestHome): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ line: read(`/proc/${name}/cmdline`), environment: read(`/proc/${name}/environ`) }))
    .filter(({ line, environment }) => `${line}${environment}`.includes(home.folder))
    .map(({ line }) => line.replaceAll('\0', ' '))
}

function read(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return ''
  }
}
