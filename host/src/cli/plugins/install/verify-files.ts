import { existsSync, readFileSync } from 'node:fs'
import { formatFileList, hashFiles, hashOf, parseFileList } from '#kernel/installed/plugin-files.ts'
import { fileListOf, type LockedVersion } from '#kernel/installed/plugin-lock.ts'

export interface FileChange {
  readonly path: string
  readonly change: 'changed' | 'missing' | 'added' | 'unknown'
}

/** Every file of an installed version against the hashes of its installation. */
export function findChanges(folder: string, { files }: Pick<LockedVersion, 'files'>): readonly FileChange[] {
  if (!existsSync(folder)) return [{ path: '.', change: 'missing' }]
  const found = hashFiles(folder)
  if (hashOf(formatFileList(found)) === files) return []
  const list = existsSync(fileListOf(folder)) ? readFileSync(fileListOf(folder), 'utf8') : ''
  // Without the list it is known that something differs, but not what.
  if (hashOf(list) !== files) return [{ path: '.', change: 'unknown' }]
  const wanted = new Map(parseFileList(list).map(({ path, hash }) => [path, hash]))
  const there = new Map(found.map(({ path, hash }) => [path, hash]))
  return [
    ...[...wanted]
      .filter(([path, hash]) => there.has(path) && there.get(path) !== hash)
      .map(([path]) => ({ path, change: 'changed' as const })),
    ...[...wanted.keys()].filter((path) => !there.has(path)).map((path) => ({ path, change: 'missing' as const })),
    ...[...there.keys()].filter((path) => !wanted.has(path)).map((path) => ({ path, change: 'added' as const })),
  ]
}
