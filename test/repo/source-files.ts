import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout that the tests look at. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '')

const skipped = new Set(['node_modules', 'dist', 'dist.tmp', '.git', 'coverage'])

/** Paths below a folder of the repository, with forward slashes, without what is installed or built. */
export function listFiles(folder: string, pattern: RegExp = /./): readonly string[] {
  const walk = (path: string): readonly string[] =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const full = join(path, entry.name)
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(full)
      return entry.isFile() ? [relative(root, full).split(sep).join('/')] : []
    })
  return walk(join(root, folder)).filter((file) => pattern.test(file))
}

/** Names of the folders in a folder of the repository; none where it does not exist. */
export function listFolders(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name)).map((entry) => entry.name)
}

export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** A JSON object of the repository. */
export function readJson(file: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readText(file)) as Record<string, unknown>
}

export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}
