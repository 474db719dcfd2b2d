import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const ignored = new Set(['node_modules', 'dist', 'dist.tmp', 'fixtures', '.git'])

/** Files below a folder in a fixed order, without tests, fixtures and what was built. */
export function listSources(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : listSources(path)
    return /\.test\.tsx?$/.test(entry.name) ? [] : [path]
  })
}

/** sha256 over names and contents; contents, because times lie after a checkout, a copy or a restored cache. */
export function hashFiles(root, files, extra = []) {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(`${relative(root, file).split(sep).join('/')}\0`)
    hash.update(existsSync(file) ? readFileSync(file) : 'absent')
    hash.update('\0')
  }
  for (const text of extra) hash.update(`${text}\0`)
  return hash.digest('hex')
}

/** A stamp file, or undefined where it is missing or cut short. */
export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
