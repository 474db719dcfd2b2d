import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { type BytesPath, lookAt, onDisk } from './bytes-path.ts'
import { outerRules } from './ignore-files.ts'
import { limits } from './limits.ts'
import { createIsApart } from './nested.ts'
import type { FolderStore } from './open-store.ts'

/** What has changed in a folder since its index was written. */
export interface FolderChanges {
  /** To be held as they are now. */
  readonly take: readonly BytesPath[]
  /** To be held no more: gone, too large, ignored, or part of another repository. */
  readonly drop: readonly BytesPath[]
  /** What stands there and is not held, although no rule leaves it out: files, and whole repositories with a `/` behind. */
  readonly unheld: readonly BytesPath[]
  /** How much is taken. */
  readonly bytes: number
  /** Rights of what is taken, where git would not keep them. */
  readonly modes: ReadonlyMap<BytesPath, number>
}

export interface ScanOptions {
  readonly signal: AbortSignal
  /** Parts of the folder that are never held. */
  readonly apart: readonly BytesPath[]
  /** In bytes; a larger file is not held. */
  readonly largestFile: number
}

const plainModes: ReadonlySet<number> = new Set([0o644, 0o755, 0o664, 0o775])

/** Looks through the folder; undefined where it has too many files. */
export async function scanFolder(store: FolderStore, { signal, apart, largestFile }: ScanOptions): Promise<FolderChanges | undefined> {
  const isApart = createIsApart(store.folder, apart)
  const rules = writeRules(store)
  const changed = new Map<BytesPath, 'new' | 'held'>()
  const drop: BytesPath[] = []
  const unheld: BytesPath[] = []
  let count = heldFiles(store.index)
  const list = store.stream(['ls-files', '-z', '-t', '--others', '--modified', ...rules], { signal })
  for await (const entry of splitEntries(list)) {
    const path = entry.slice(2)
    // A whole folder is named where it is another repository.
    if (path.endsWith('/')) {
      unheld.push(path)
      continue
    }
    const isNew = entry.startsWith('?')
    if (isNew && !isApart(path) && ++count > limits.mostFiles) return undefined
    changed.set(path, isNew ? 'new' : 'held')
  }
  if (count > limits.mostFiles) return undefined
  if ([...changed.keys()].some((path) => /(^|\/)\.gitignore$/.test(path)))
    for await (const path of splitEntries(store.stream(['ls-files', '-z', '--cached', '--ignored', ...rules], { signal }))) {
      drop.push(path)
      changed.delete(path)
    }
  const sorted = sortOut(store.folder, changed, { isApart, largestFile })
  return { ...sorted, drop: [...drop, ...sorted.drop], unheld: [...unheld, ...sorted.unheld].sort() }
}

interface Sorting {
  readonly isApart: (path: BytesPath) => boolean
  readonly largestFile: number
}

function sortOut(folder: string, changed: ReadonlyMap<BytesPath, 'new' | 'held'>, { isApart, largestFile }: Sorting): FolderChanges {
  const take: BytesPath[] = []
  const drop: BytesPath[] = []
  const unheld: BytesPath[] = []
  const modes = new Map<BytesPath, number>()
  let bytes = 0
  for (const [path, was] of changed) {
    const about = lookAt(folder, path)
    if (about && isFit(about, largestFile) && !isApart(path) && mayRead(folder, path, about)) {
      take.push(path)
      bytes += about.size
      if (about.isFile() && !plainModes.has(about.mode & 0o7777)) modes.set(path, about.mode & 0o7777)
      continue
    }
    if (was === 'held') drop.push(path)
    if (about) unheld.push(path)
  }
  return { take, drop, unheld, bytes, modes }
}

const isFit = (about: Stats, largest: number): boolean => about.isSymbolicLink() || (about.isFile() && about.size <= largest)

function mayRead(folder: string, path: BytesPath, about: Stats): boolean {
  if (about.isSymbolicLink()) return true
  try {
    accessSync(onDisk(folder, path), constants.R_OK)
    return true
  } catch {
    // What cannot be read cannot be held.
    return false
  }
}

/** When somebody last looked through the folder; long ago where nobody did. */
export const lastScan = ({ index }: Pick<FolderStore, 'index'>): number =>
  statSync(rulesFile(index), { throwIfNoEntry: false })?.mtimeMs ?? 0

const rulesFile = (index: string): string => `${index}.rules`

/** The rules of the folder's own files, and those from outside of it. */
function writeRules({ folder, index }: FolderStore): readonly string[] {
  const file = rulesFile(index)
  writeFileSync(file, `${outerRules(folder).join('\n')}\n`, { encoding: 'latin1', mode: 0o600 })
  return [`--exclude-from=${file}`, '--exclude-per-directory=.gitignore']
}

/** How many files an index holds, from its first bytes. */
function heldFiles(index: string): number {
  const start = Buffer.alloc(12)
  try {
    const file = openSync(index, 'r')
    try {
      return readSync(file, start) === 12 && start.toString('latin1', 0, 4) === 'DIRC' ? start.readUInt32BE(8) : 0
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

async function* splitEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<BytesPath> {
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (rest + chunk.toString('latin1')).split('\0')
    rest = parts.pop() ?? ''
    yield* parts
  }
}
