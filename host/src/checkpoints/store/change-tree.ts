import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { type BytesPath, onDisk } from './bytes-path.ts'
import type { CheckpointStore, FolderStore } from './open-store.ts'
import { folderMode, formatTree, type TreeEntry, type TreeReader } from './read-trees.ts'
import type { FolderChanges } from './scan-folder.ts'
import { writeObject } from './write-object.ts'

/** Beyond this git is asked, which writes the index down as well: it is quicker with many files, and does not hold up what else runs here. */
const most = { files: 200, bytes: 4 * 1024 * 1024 }

export const areFew = ({ take, drop, bytes }: FolderChanges): boolean => take.length + drop.length <= most.files && bytes <= most.bytes

/** What changes in a folder and in those below it. */
interface Changes {
  /** A file or a link as it is now; undefined where there is none any more. */
  readonly files: Map<BytesPath, TreeEntry | undefined>
  readonly folders: Map<BytesPath, Changes>
}

/** The files of a tree with some changes, as git would write them from its index; the index stays as it is. Undefined where a file went meanwhile. */
export async function changeTree(
  { folder, store }: Pick<FolderStore, 'folder' | 'store'>,
  { take, drop }: FolderChanges,
  { files, reader }: { readonly files: string; readonly reader: TreeReader },
): Promise<string | undefined> {
  const changes = emptyChanges()
  for (const path of drop) placeOf(changes, path).files.set(nameOf(path), undefined)
  for (const path of take) {
    const entry = entryOf(store, folder, path)
    if (!entry) return undefined
    placeOf(changes, path).files.set(entry.name, entry)
  }
  const known = new Map<Changes, Map<BytesPath, TreeEntry>>()
  await readBelow(reader, [[changes, files]], known)
  return writeChanged(store, changes, known) ?? writeObject(store, { type: 'tree', bytes: formatTree([]) })
}

const emptyChanges = (): Changes => ({ files: new Map(), folders: new Map() })

const nameOf = (path: BytesPath): BytesPath => path.slice(path.lastIndexOf('/') + 1)

function placeOf(top: Changes, path: BytesPath): Changes {
  let place = top
  for (const name of path.split('/').slice(0, -1)) {
    const below: Changes = place.folders.get(name) ?? emptyChanges()
    place.folders.set(name, below)
    place = below
  }
  return place
}

function entryOf(store: CheckpointStore, folder: string, path: BytesPath): TreeEntry | undefined {
  const place = onDisk(folder, path)
  try {
    const about = lstatSync(place)
    const isLink = about.isSymbolicLink()
    if (!isLink && !about.isFile()) return undefined
    const bytes = isLink ? readlinkSync(place, { encoding: 'buffer' }) : readFileSync(place)
    const mode = isLink ? '120000' : about.mode & 0o100 ? '100755' : '100644'
    return { mode, name: nameOf(path), object: writeObject(store, { type: 'blob', bytes }) }
  } catch {
    // Another program took it away, or put something else there.
    return undefined
  }
}

/** Reads the folders in which something changes, one depth at a time. */
async function readBelow(
  reader: TreeReader,
  folders: readonly (readonly [Changes, string])[],
  known: Map<Changes, Map<BytesPath, TreeEntry>>,
): Promise<void> {
  if (folders.length === 0) return
  const trees = await reader.read(folders.map(([, object]) => object))
  const below = folders.flatMap(([changes], at) => {
    const entries = new Map((trees[at] ?? []).map((entry) => [entry.name, entry]))
    known.set(changes, entries)
    return [...changes.folders].flatMap(([name, inside]) => {
      const entry = entries.get(name)
      return entry?.mode === folderMode ? [[inside, entry.object] as const] : []
    })
  })
  await readBelow(reader, below, known)
}

/** Undefined where nothing is left: git keeps no empty folder. */
function writeChanged(
  store: CheckpointStore,
  changes: Changes,
  known: ReadonlyMap<Changes, Map<BytesPath, TreeEntry>>,
): string | undefined {
  const entries = new Map(known.get(changes))
  for (const [name, entry] of changes.files) {
    if (entry) entries.set(name, entry)
    else if (entries.get(name)?.mode !== folderMode) entries.delete(name)
  }
  for (const [name, inside] of changes.folders) {
    const object = writeChanged(store, inside, known)
    if (object !== undefined) entries.set(name, { mode: folderMode, name, object })
    else if (entries.get(name)?.mode === folderMode) entries.delete(name)
  }
  return entries.size === 0 ? undefined : writeObject(store, { type: 'tree', bytes: formatTree(entries.values()) })
}
