import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { type BytesPath, lookAt, onDisk, parentsOf } from '../store/bytes-path.ts'
import type { TreeChange } from '../store/diff-trees.ts'
import type { FolderStore } from '../store/open-store.ts'
import { readBlobs } from './read-blobs.ts'

export interface Restoring {
  readonly restore: readonly TreeChange[]
  readonly remove: readonly BytesPath[]
  /** Rights at the checkpoint that git does not keep. */
  readonly modes: ReadonlyMap<BytesPath, number>
  readonly temporaryName: string
  readonly signal: AbortSignal
}

export interface Restored {
  readonly restored: number
  readonly removed: number
  /** Something stands in the way of these. */
  readonly blocked: readonly BytesPath[]
}

/** Makes files what they were. Deletions come first: a folder may stand where a file was. */
export async function restoreFiles(store: FolderStore, { restore, remove, modes, temporaryName, signal }: Restoring): Promise<Restored> {
  const { folder } = store
  const blocked: BytesPath[] = []
  let removed = 0
  for (const path of remove) {
    if (!removeFile(folder, path)) blocked.push(path)
    else removed++
  }
  removeEmpty(folder, remove)
  let restored = 0
  for await (const { change, bytes } of readBlobs(store, restore, signal)) {
    const { path } = change
    if (!makeParents(folder, path) || lookAt(folder, path)?.isDirectory()) blocked.push(path)
    else {
      writeOne(folder, change, { bytes, mode: modes.get(path), temporary: besides(path, temporaryName) })
      restored++
    }
  }
  return { restored, removed, blocked }
}

const besides = (path: BytesPath, name: string): BytesPath => [...path.split('/').slice(0, -1), name].join('/')

interface Written {
  readonly bytes: Buffer
  readonly mode: number | undefined
  readonly temporary: BytesPath
}

/** Complete or not at all; rights that are not known stay as they are, but for who may run it. */
function writeOne(folder: string, { path, mode }: TreeChange, { bytes, mode: known, temporary }: Written): void {
  const [place, beside] = [onDisk(folder, path), onDisk(folder, temporary)]
  const before = lookAt(folder, path)
  try {
    if (mode === '120000') symlinkSync(bytes, beside)
    else {
      writeFileSync(beside, bytes, { flag: 'wx' })
      const rights = (before?.isFile() ? before : lstatSync(beside)).mode & 0o7777
      chmodSync(beside, known ?? (mode === '100755' ? rights | ((rights & 0o444) >> 2) : rights & ~0o111))
    }
    renameSync(beside, place)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

function removeFile(folder: string, path: BytesPath): boolean {
  const about = lookAt(folder, path)
  if (!about) return true
  if (about.isDirectory() || !parentsOf(path).every((parent) => lookAt(folder, parent)?.isDirectory())) return false
  unlinkSync(onDisk(folder, path))
  return true
}

/** Folders that have nothing left in them. */
function removeEmpty(folder: string, removed: readonly BytesPath[]): void {
  const parents = new Set(removed.flatMap(parentsOf))
  for (const parent of [...parents].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(onDisk(folder, parent))
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY', 'EPERM', 'EACCES'].includes(code)) throw error
    }
  }
}

/** False where something else than a folder stands there: a link may lead anywhere. */
function makeParents(folder: string, path: BytesPath): boolean {
  for (const parent of parentsOf(path)) {
    const about = lookAt(folder, parent)
    if (!about) mkdirSync(onDisk(folder, parent))
    else if (!about.isDirectory()) return false
  }
  return true
}
