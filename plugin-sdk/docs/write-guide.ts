import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const docs = import.meta.dirname

export const pages: readonly string[] = readdirSync(docs).filter((page) => page.endsWith('.md'))

/** The code blocks of a page that name a file. */
export function readFiles(page: string): readonly (readonly [name: string, text: string])[] {
  const text = readFileSync(join(docs, page), 'utf8')
  return [...text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [name, code])
}

/** Writes what a guide tells its reader to write; `platform-connection.md` goes on where `platform.md` ends. */
export function writeGuide(page: string, folder: string): void {
  const kind = page.replace('.md', '')
  const parts = [page, ...pages.filter((other) => other.startsWith(`${kind}-`))]
  for (const [name, text] of parts.flatMap(readFiles)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}
