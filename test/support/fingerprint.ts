import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Stands for a folder and all that is in it: two equal ones mean that nothing changed. */
export function fingerprint(folder: string): string {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).sort()
  return createHash('sha256')
    .update(JSON.stringify(paths.map((path) => [path, describe(join(folder, path))])))
    .digest('hex')
}

function describe(path: string): string {
  const about = lstatSync(path)
  if (about.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  return about.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder'
}
