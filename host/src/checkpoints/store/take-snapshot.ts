import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statfsSync } from 'node:fs'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import type { AboutSnapshot } from './about-snapshot.ts'
import { type BytesPath, joinPaths } from './bytes-path.ts'
import { areFew, changeTree } from './change-tree.ts'
import { limits } from './limits.ts'
import type { CheckpointStore, FolderStore } from './open-store.ts'
import { folderMode, formatTree, openTreeReader, type TreeEntry } from './read-trees.ts'
import { type FolderChanges, type ScanOptions, scanFolder } from './scan-folder.ts'
import { type FolderSnapshot, refOf } from './snapshot-ref.ts'
import { writeObject, writeReference } from './write-object.ts'

export interface TreeOptions extends ScanOptions {
  /** Somebody waits: a few changes are written down without the index, which the next one that is not in a hurry brings up to date. */
  readonly inHurry?: boolean
}

/**
 * Writes down what the folder holds now, and gives back its tree: `files`, `modes` with the rights that git does not keep, and `unheld` with the
 * names of what stands there and is not held. The lock is held.
 */
export async function writeTree(store: FolderStore, options: TreeOptions): Promise<string> {
  try {
    return await writeOnce(store, options)
  } catch (error) {
    if (!isAgentError(error, 'CHECKPOINTS_UNUSABLE') || !spoilt.test(error.message) || options.signal.aborted) throw error
    forgetIndex(store)
    return await writeOnce(store, options)
  }
}

/** The index was cut off, or names what the store has no more: it can be made again from the folder. */
const spoilt = /index file|bad signature|unordered stage|invalid object|error building trees|a folder cannot be read/i

export function forgetIndex({ index }: FolderStore): void {
  for (const end of ['', '.modes', '.rules', '.tree']) rmSync(`${index}${end}`, { force: true })
}

/** What the index names stays in the store by this reference, also where no snapshot has it any more. */
export const heldRef = (id: string): string => `refs/held/${id}`

async function writeOnce(store: FolderStore, options: TreeOptions): Promise<string> {
  const { signal } = options
  const known = readKnown(store)
  const changes = await scanFolder(store, options)
  if (!changes)
    throw fail('CHECKPOINT_SKIPPED', { folder: store.folder, reason: `it has more than ${limits.mostFiles.toLocaleString('en-US')} files` })
  const unheld = joinPaths(changes.unheld)
  const about = createHash('sha256').update(unheld).digest('hex')
  if (known?.about === about && changes.take.length + changes.drop.length === 0) return known.tree
  requireRoom(store.store, changes.bytes)
  const modes = modesWith(store, changes)
  const top = (files: string): string => writeTop(store.store, files, { modes: Buffer.from(formatModes(modes)), unheld })
  const files = known && options.inHurry && areFew(changes) ? await changeFiles(store, changes, { tree: known.tree, signal }) : undefined
  return files === undefined ? await writeIndex(store, changes, { modes, about, top, signal }) : top(files)
}

async function changeFiles(
  store: FolderStore,
  changes: FolderChanges,
  { tree, signal }: { readonly tree: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const reader = openTreeReader(store.store, signal)
  try {
    const [top = []] = await reader.read([tree])
    const files = top.find(({ name }) => name === 'files')?.object
    return files === undefined ? undefined : await changeTree(store, changes, { files, reader })
  } finally {
    await reader.close()
  }
}

interface IndexWish {
  readonly modes: ReadonlyMap<BytesPath, number>
  readonly about: string
  readonly top: (files: string) => string
  readonly signal: AbortSignal
}

/** Lets git write the tree from its index; which tree the index stands for is known afterwards. */
async function writeIndex(store: FolderStore, changes: FolderChanges, { modes, about, top, signal }: IndexWish): Promise<string> {
  // A process that is killed from here on leaves an index of which nobody knows the tree.
  rmSync(knownFile(store), { force: true })
  if (changes.take.length + changes.drop.length > 0) writeFileAtomic(modesFile(store), formatModes(modes), { mayBeLost: true })
  await updateIndex(store, changes, signal)
  const tree = top((await store.git(['write-tree'], { signal })).toString().trim())
  writeReference(store.store, heldRef(store.id), tree)
  writeFileAtomic(knownFile(store), `${tree} ${about}\n`, { mayBeLost: true })
  return tree
}

const knownFile = ({ index }: Pick<FolderStore, 'index'>): string => `${index}.tree`
const modesFile = ({ index }: Pick<FolderStore, 'index'>): string => `${index}.modes`

/** The tree that the index stands for, and a print of what was not held then; undefined where the index may be half written. */
function readKnown(store: FolderStore): { readonly tree: string; readonly about: string } | undefined {
  const [, tree, about] = /^([0-9a-f]{40}) ([0-9a-f]{64})\n$/.exec(readOrEmpty(knownFile(store))) ?? []
  return tree === undefined || about === undefined ? undefined : { tree, about }
}

/** Half a snapshot would fill the disk, and the turn could not be kept either. */
function requireRoom({ path }: CheckpointStore, bytes: number): void {
  const { bavail, bsize } = statfsSync(path)
  if (bytes > bavail * bsize) throw fail('CHECKPOINTS_UNUSABLE', { problem: 'the disk has too little room left' })
}

async function updateIndex(store: FolderStore, { take, drop }: FolderChanges, signal: AbortSignal): Promise<void> {
  if (drop.length > 0) await store.git(['update-index', '-z', '--force-remove', '--stdin'], { signal, input: joinPaths(drop) })
  if (take.length > 0)
    await store.git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { signal, input: joinPaths(take) })
}

/** The map beside the index says what rights the files of the index have; this one, what those have that change. */
function modesWith(store: FolderStore, { take, drop, modes }: FolderChanges): ReadonlyMap<BytesPath, number> {
  const known = parseModes(readOrEmpty(modesFile(store)))
  for (const path of [...take, ...drop]) known.delete(path)
  for (const [path, mode] of modes) known.set(path, mode)
  return known
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

const formatModes = (modes: ReadonlyMap<BytesPath, number>): string =>
  [...modes].map(([path, mode]) => `${mode.toString(8)} ${JSON.stringify(path)}\n`).join('')

export function parseModes(text: string): Map<BytesPath, number> {
  const lines = text.split('\n').flatMap((line) => {
    const [, mode = '', path = ''] = /^([0-7]+) (".*")$/.exec(line) ?? []
    return mode === '' ? [] : [[JSON.parse(path) as BytesPath, Number.parseInt(mode, 8)] as const]
  })
  return new Map(lines)
}

function writeTop(store: CheckpointStore, files: string, lists: Readonly<Record<'modes' | 'unheld', Buffer>>): string {
  const list = (name: 'modes' | 'unheld'): TreeEntry => ({
    ...{ mode: '100644', name, object: writeObject(store, { type: 'blob', bytes: lists[name] }) },
  })
  const bytes = formatTree([{ mode: folderMode, name: 'files', object: files }, list('modes'), list('unheld')])
  return writeObject(store, { type: 'tree', bytes })
}

/** Keeps a tree under its number. */
export function keepSnapshot({ id, store }: FolderStore, tree: string, about: AboutSnapshot): FolderSnapshot {
  const by = `agent <agent@localhost> ${Math.floor(store.clock.now() / 1000)} +0000`
  const text = `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\n${JSON.stringify(about)}\n`
  const commit = writeObject(store, { type: 'commit', bytes: Buffer.from(text) })
  const ref = refOf(id, about)
  writeReference(store, ref, commit)
  return { ...about, ref, commit }
}

export async function dropSnapshots(store: FolderStore, snapshots: readonly FolderSnapshot[], signal: AbortSignal): Promise<void> {
  if (snapshots.length === 0) return
  const input = Buffer.from(snapshots.map(({ ref }) => `delete ${ref}\n`).join(''))
  await store.git(['update-ref', '--stdin'], { signal, input })
}
