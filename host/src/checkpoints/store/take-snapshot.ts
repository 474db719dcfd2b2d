import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statfsSync } from 'node:fs'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import type { AboutSnapshot } from './about-snapshot.ts'
import { type BytesPath, joinPaths } from './bytes-path.ts'
import { limits } from './limits.ts'
import type { CheckpointStore, FolderStore } from './open-store.ts'
import { type FolderChanges, type ScanOptions, scanFolder } from './scan-folder.ts'
import { type FolderSnapshot, refOf } from './snapshot-ref.ts'
import { writeObject, writeReference } from './write-object.ts'

/**
 * Writes down what the folder holds now, and gives back its tree: `files`, `modes` with the rights that git does not keep, and `unheld` with the
 * names of what stands there and is not held. The lock is held.
 */
export async function writeTree(store: FolderStore, options: ScanOptions): Promise<string> {
  try {
    return await writeOnce(store, options)
  } catch (error) {
    if (!isAgentError(error, 'CHECKPOINTS_UNUSABLE') || !spoilt.test(error.message) || options.signal.aborted) throw error
    forgetIndex(store)
    return await writeOnce(store, options)
  }
}

/** The index was cut off, or names what the store has no more: it can be made again from the folder. */
const spoilt = /index file|bad signature|unordered stage|invalid object|error building trees/i

export function forgetIndex({ index }: FolderStore): void {
  for (const end of ['', '.modes', '.rules', '.tree']) rmSync(`${index}${end}`, { force: true })
}

/** What the index names stays in the store by this reference, also where no snapshot has it any more. */
export const heldRef = (id: string): string => `refs/held/${id}`

async function writeOnce(store: FolderStore, options: ScanOptions): Promise<string> {
  const { signal } = options
  const changes = await scanFolder(store, options)
  if (!changes)
    throw fail('CHECKPOINT_SKIPPED', { folder: store.folder, reason: `it has more than ${limits.mostFiles.toLocaleString('en-US')} files` })
  const known = `${store.index}.tree`
  const unheld = joinPaths(changes.unheld)
  const about = createHash('sha256').update(unheld).digest('hex')
  if (changes.take.length + changes.drop.length === 0) {
    const [, tree] = knownTree.exec(readOrEmpty(known).replace(about, '=')) ?? []
    if (tree !== undefined) return tree
  }
  requireRoom(store.store, changes.bytes)
  // A process that is killed from here on leaves an index of which nobody knows the tree.
  rmSync(known, { force: true })
  const modes = keepModes(store, changes)
  await updateIndex(store, changes, signal)
  const files = (await store.git(['write-tree'], { signal })).toString().trim()
  const tree = writeTop(store.store, files, { modes: Buffer.from(formatModes(modes)), unheld })
  writeReference(store.store, heldRef(store.id), tree)
  writeFileAtomic(known, `${tree} ${about}\n`, { mayBeLost: true })
  return tree
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

/** The map beside the index says what rights the files of the index have. */
function keepModes({ index }: FolderStore, { take, drop, modes }: FolderChanges): ReadonlyMap<BytesPath, number> {
  const file = `${index}.modes`
  const known = parseModes(readOrEmpty(file))
  for (const path of [...take, ...drop]) known.delete(path)
  for (const [path, mode] of modes) known.set(path, mode)
  if (take.length + drop.length > 0) writeFileAtomic(file, formatModes(known), { mayBeLost: true })
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

/** The file is whole, and what is not held is the same. */
const knownTree = /^([0-9a-f]{40}) =\n$/

function writeTop(store: CheckpointStore, files: string, lists: Readonly<Record<'modes' | 'unheld', Buffer>>): string {
  const entry = (mode: string, name: string, object: string) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]
  const list = (name: 'modes' | 'unheld') => entry('100644', name, writeObject(store, { type: 'blob', bytes: lists[name] }))
  // A tree names its parts in the order of their names.
  return writeObject(store, {
    type: 'tree',
    bytes: Buffer.concat([...entry('40000', 'files', files), ...list('modes'), ...list('unheld')]),
  })
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
