import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AboutSnapshot } from './about-snapshot.ts'
import { type BytesPath, joinPaths } from './bytes-path.ts'
import { limits } from './limits.ts'
import type { FolderStore } from './open-store.ts'
import { type FolderChanges, type ScanOptions, scanFolder } from './scan-folder.ts'
import { type FolderSnapshot, refOf } from './snapshot-ref.ts'

/** Writes down what the folder holds now, and gives back its tree: `files`, and `modes` with the rights that git does not keep. The lock is held. */
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
  if (changes.take.length + changes.drop.length === 0 && existsSync(known)) return readFileSync(known, 'utf8')
  // A process that is killed from here on leaves an index of which nobody knows the tree.
  rmSync(known, { force: true })
  const modes = keepModes(store, changes)
  await updateIndex(store, changes, signal)
  const files = (await store.git(['write-tree'], { signal })).toString().trim()
  const blob = await store.git(['hash-object', '-w', '--stdin', '--no-filters'], { signal, input: Buffer.from(formatModes(modes)) })
  const entries = `040000 tree ${files}\tfiles\n100644 blob ${blob.toString().trim()}\tmodes\n`
  const tree = (await store.git(['mktree'], { signal, input: Buffer.from(entries) })).toString().trim()
  await store.git(['update-ref', heldRef(store.id), tree], { signal })
  writeFileSync(known, tree, { mode: 0o600 })
  return tree
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
  if (take.length + drop.length > 0) writeFileSync(file, formatModes(known), { mode: 0o600 })
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

/** Keeps a tree under its number. */
export async function keepSnapshot(store: FolderStore, tree: string, about: AboutSnapshot, signal: AbortSignal): Promise<FolderSnapshot> {
  const input = Buffer.from(JSON.stringify(about))
  const commit = (await store.git(['commit-tree', tree], { signal, input })).toString().trim()
  const ref = refOf(store.id, about)
  await store.git(['update-ref', ref, commit], { signal })
  return { ...about, ref, commit }
}

export async function dropSnapshots(store: FolderStore, snapshots: readonly FolderSnapshot[], signal: AbortSignal): Promise<void> {
  if (snapshots.length === 0) return
  const input = Buffer.from(snapshots.map(({ ref }) => `delete ${ref}\n`).join(''))
  await store.git(['update-ref', '--stdin'], { signal, input })
}
