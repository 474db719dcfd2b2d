import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { type CheckpointBounds, limits } from './store/limits.ts'
import type { CheckpointStore, FolderStore } from './store/open-store.ts'
import { lastScan } from './store/scan-folder.ts'
import { type FolderSnapshot, readSnapshots } from './store/snapshot-ref.ts'
import { dropSnapshots, forgetIndex, heldRef } from './store/take-snapshot.ts'

export interface PruneRules extends Pick<CheckpointBounds, 'most' | 'mostBytes' | 'oldestMs'> {
  readonly now: number
  /** Checkpoints of the turns that run at this moment. Pruning takes so long that turns begin and end meanwhile. */
  open(): ReadonlySet<string>
}

/** The numbers that go: what is too old, and the oldest of too many. */
export function findOutdated(
  snapshots: readonly Pick<FolderSnapshot, 'number' | 'at' | 'ref'>[],
  { most, oldestMs, now, open }: Omit<PruneRules, 'mostBytes' | 'open'> & { readonly open: ReadonlySet<string> },
): ReadonlySet<number> {
  const numbers = new Map<number, number>()
  const kept = new Set(snapshots.filter(({ ref }) => open.has(ref)).map(({ number }) => number))
  for (const { number, at } of snapshots) numbers.set(number, Math.max(at, numbers.get(number) ?? 0))
  const sorted = [...numbers].sort(([a], [b]) => b - a)
  const outdated = sorted.filter(([, at], index) => index >= most || now - at > oldestMs).map(([number]) => number)
  return new Set(outdated.filter((number) => !kept.has(number)))
}

/** Keeps the checkpoints of one folder few and young; gives back how many went. */
export async function pruneFolder(store: FolderStore, rules: PruneRules, signal: AbortSignal): Promise<number> {
  return store.locked(signal, async () => {
    const snapshots = await readSnapshots(store, { signal })
    const outdated = findOutdated(snapshots, { ...rules, open: rules.open() })
    await dropSnapshots(
      store,
      snapshots.filter(({ number }) => outdated.has(number)),
      signal,
    )
    return outdated.size
  })
}

/** So young, what nothing refers to may be part of a snapshot that is being made. */
const young = '10.minutes.ago'

/** Looks through all folders, keeps the store below its size and packs it. */
export async function pruneStore(store: CheckpointStore, rules: PruneRules, signal: AbortSignal): Promise<number> {
  return store.pruning(signal, async () => {
    writeFileSync(join(store.path, '.last_prune'), `${new Date(rules.now).toISOString()}\n`, { mode: 0o600 })
    const folders = listFolders(store)
    let gone = 0
    for (const folder of folders) gone += await pruneFolder(folder, rules, signal)
    gone += await keepSmall(store, folders, rules, signal)
    for (const folder of folders) await forgetUnused(folder, rules, signal)
    await store.git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${young}`], { signal })
    await store.git(['prune', `--expire=${young}`], { signal })
    return gone
  })
}

/** A checkpoint of a folder, with the state after it. */
interface Held {
  readonly folder: FolderStore
  readonly number: number
  readonly at: number
  readonly commits: readonly string[]
  readonly isOpen: boolean
}

/** Keeps as many of the newest checkpoints as fit; gives back how many went. Those of turns that run stay. */
async function keepSmall(
  store: CheckpointStore,
  folders: readonly FolderStore[],
  { open, mostBytes }: PruneRules,
  signal: AbortSignal,
): Promise<number> {
  if ((await bytesHeld(store, signal)) <= mostBytes) return 0
  const held = (await Promise.all(folders.map((folder) => heldIn(folder, open, signal)))).flat().sort((a, b) => b.at - a.at)
  const [running, over] = [held.filter(({ isOpen }) => isOpen), held.filter(({ isOpen }) => !isOpen)]
  // To measure is to walk through all objects. Turns go on meanwhile, and would bring new ones faster than one by one could go.
  let [fit, tooMany] = [0, over.length + 1]
  while (tooMany - fit > 1) {
    const middle = Math.floor((fit + tooMany) / 2)
    if ((await bytesOfAll(store, [...running, ...over.slice(0, middle)], signal)) <= mostBytes) fit = middle
    else tooMany = middle
  }
  const gone = over.slice(fit)
  for (const folder of folders) {
    const numbers = new Set(gone.filter((each) => each.folder === folder).map(({ number }) => number))
    if (numbers.size > 0) await dropNumbers(folder, numbers, signal)
  }
  return gone.length
}

async function heldIn(folder: FolderStore, open: PruneRules['open'], signal: AbortSignal): Promise<readonly Held[]> {
  // A turn marks what it has just made under the same lock.
  const [snapshots, running] = await folder.locked(signal, async () => [await readSnapshots(folder, { signal }), open()] as const)
  const found = new Map<number, Held>()
  for (const { number, at, commit, ref } of snapshots) {
    const { commits = [], isOpen = false } = found.get(number) ?? {}
    found.set(number, { folder, number, at, commits: [...commits, commit], isOpen: isOpen || running.has(ref) })
  }
  return [...found.values()]
}

async function dropNumbers(folder: FolderStore, numbers: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
  await folder.locked(signal, async () => {
    const now = await readSnapshots(folder, { signal })
    await dropSnapshots(
      folder,
      now.filter(({ number }) => numbers.has(number)),
      signal,
    )
  })
}

/** Nothing is kept of a folder without checkpoints in which nobody works any more: its next one starts from nothing. */
async function forgetUnused(folder: FolderStore, { now }: PruneRules, signal: AbortSignal): Promise<void> {
  await folder.locked(signal, async () => {
    if (now - lastScan(folder) < limits.pruneEveryMs) return
    if ((await readSnapshots(folder, { signal })).length > 0) return
    await forgetFolder(folder, signal)
  })
}

/** Forgets all checkpoints of a folder, also what is known of its files; gives back how many there were. */
export async function clearFolder(folder: FolderStore, signal: AbortSignal): Promise<number> {
  const snapshots = await readSnapshots(folder, { signal })
  await dropSnapshots(folder, snapshots, signal)
  await forgetFolder(folder, signal)
  return snapshots.filter(({ phase }) => phase === 'before').length
}

async function forgetFolder(folder: FolderStore, signal: AbortSignal): Promise<void> {
  forgetIndex(folder)
  await folder.store.git(['update-ref', '-d', heldRef(folder.id)], { signal })
  rmSync(projectFile(folder), { force: true })
}

/** What the checkpoints of a folder take on the disk. */
export async function bytesOf({ id, store }: FolderStore, signal: AbortSignal): Promise<number> {
  const words = ['rev-list', '--objects', '--disk-usage', `--glob=refs/agent/${id}`, `--glob=${heldRef(id)}*`]
  return Number((await store.git(words, { signal })).toString())
}

async function bytesHeld(store: CheckpointStore, signal: AbortSignal): Promise<number> {
  return Number((await store.git(['rev-list', '--all', '--objects', '--disk-usage'], { signal })).toString())
}

/** The same of these checkpoints, and of what is known of the files of folders. */
async function bytesOfAll(store: CheckpointStore, held: readonly Held[], signal: AbortSignal): Promise<number> {
  const words = ['rev-list', '--objects', '--disk-usage', '--ignore-missing', '--glob=refs/held', '--stdin']
  const input = Buffer.from(held.flatMap(({ commits }) => commits.map((commit) => `${commit}\n`)).join(''))
  return Number((await store.git(words, { signal, input })).toString())
}

/** Whether everything is to be looked through: it was not for a day, or there is too much of it. */
export async function isPruneDue(store: CheckpointStore, { now, mostBytes }: PruneRules, signal: AbortSignal): Promise<boolean> {
  const about = statSync(join(store.path, '.last_prune'), { throwIfNoEntry: false })
  if (!about || now - about.mtimeMs > limits.pruneEveryMs) return true
  const { bytes, loose } = await countObjects(store, signal)
  return bytes > mostBytes || loose > limits.mostLoose
}

/** What the store takes, with what nothing refers to any more. */
export const bytesOnDisk = async (store: CheckpointStore, signal: AbortSignal): Promise<number> => (await countObjects(store, signal)).bytes

async function countObjects(store: CheckpointStore, signal: AbortSignal): Promise<{ readonly bytes: number; readonly loose: number }> {
  const counted = (await store.git(['count-objects', '-v'], { signal })).toString()
  const figure = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1] ?? 0)
  return { bytes: (figure('size') + figure('size-pack')) * 1024, loose: figure('count') }
}

interface Project {
  readonly folder: string
}

const projectFile = ({ id, store }: FolderStore): string => join(store.path, 'projects', `${id}.json`)

/** Remembers whose checkpoints these are. */
export function noteFolder(folder: FolderStore): void {
  const file = projectFile(folder)
  if (!existsSync(file)) writeFileAtomic(file, `${JSON.stringify({ folder: folder.folder } satisfies Project)}\n`)
}

/** Every folder that has had checkpoints. */
export function listFolders(store: CheckpointStore): readonly FolderStore[] {
  const projects = join(store.path, 'projects')
  if (!existsSync(projects)) return []
  return readdirSync(projects)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readProject(join(projects, name)))
    .map(({ folder }) => store.of(folder))
}

function readProject(file: string): readonly Project[] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof parsed === 'object' && parsed !== null && 'folder' in parsed && typeof parsed.folder === 'string'
      ? [{ folder: parsed.folder }]
      : []
  } catch {
    // Not one of ours.
    return []
  }
}
