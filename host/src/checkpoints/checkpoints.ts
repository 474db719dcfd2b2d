import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { type Clock, type Log, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createBackgroundPruning } from './background-pruning.ts'
import { bytesOf, bytesOnDisk, clearFolder, listFolders, type PruneRules, pruneStore } from './prune.ts'
import { type DifferingFile, previewRollback } from './rollback/preview-rollback.ts'
import { findCheckpoint, type RollbackWish, type RolledBack, rollBack } from './rollback/roll-back.ts'
import { type BytesPath, fromText } from './store/bytes-path.ts'
import { type CheckpointBounds, limits } from './store/limits.ts'
import { type FolderStore, openStore } from './store/open-store.ts'
import type { ScanOptions } from './store/scan-folder.ts'
import { readSnapshots } from './store/snapshot-ref.ts'
import { writeTree } from './store/take-snapshot.ts'
import { runningTurns } from './store/turn-marks.ts'
import { createTurnCheckpoint, type TurnCheckpoint } from './turn-checkpoint.ts'

export interface CheckpointsOptions {
  /** The `checkpoints` folder of the home. */
  readonly path: string
  /** In which the agent works. */
  readonly workspace: string
  /** The home itself, and that of the person. */
  readonly home: string
  readonly userHome: string
  /** Where git is found. */
  readonly searchPath: string | undefined
  readonly enabled: () => boolean
  readonly bounds: () => CheckpointBounds
  readonly newName: () => string
  readonly clock: Clock
  readonly log: Log
}

/** A state of a folder that one can go back to. */
export interface Checkpoint {
  readonly number: number
  readonly at: number
  /** What came after it: a turn of the agent, or a rollback. */
  readonly kind: 'turn' | 'rollback'
  readonly session: string
  /** How many files that changed; null while it goes on, and where it was cut off. */
  readonly changed: number | null
}

export interface AskedRollback extends Omit<RollbackWish, 'path'> {
  readonly path?: string | undefined
}

export interface CheckpointedTurn {
  readonly workspace: string
  readonly session: string
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

export interface Checkpoints {
  /** The folder in which the agent works. */
  readonly workspace: string
  enabled(): boolean
  /** For a turn that begins; undefined while they are switched off. */
  forTurn(turn: CheckpointedTurn): TurnCheckpoint | undefined
  /** The newest first. */
  list(folder: string, signal: AbortSignal): Promise<readonly Checkpoint[]>
  /** Every folder that has had some. */
  folders(): readonly string[]
  /** What has changed since, as a patch; of one file where it is named. */
  diff(folder: string, number: number, signal: AbortSignal, path?: string): Promise<string>
  /** The files that differ, and what going back would do to each. */
  preview(folder: string, number: number, signal: AbortSignal): Promise<readonly DifferingFile[]>
  restore(folder: string, wish: AskedRollback, signal: AbortSignal): Promise<RolledBack>
  /** How many bytes the checkpoints of a folder take. */
  size(folder: string, signal: AbortSignal): Promise<number>
  /** How many bytes all of them take, as git counts them without looking into them. */
  total(signal: AbortSignal): Promise<number>
  /** Forgets all checkpoints of a folder, and gives back how many there were. */
  clear(folder: string, signal: AbortSignal): Promise<number>
  /** Forgets what is too old or too much, and packs the rest; gives back how many checkpoints went. */
  prune(signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** The checkpoints of a home. Nothing is made before the first of them. */
export function openCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { clock, enabled, home } = options
  const store = openStore(options)
  const sayOnce = createSayOnce()
  const rules = (): PruneRules => ({
    ...options.bounds(),
    now: clock.now(),
    open: () => runningTurns(store),
  })
  const pruning = createBackgroundPruning({ ...options, store, rules })
  const limited = <T>(signal: AbortSignal, what: string, work: (own: AbortSignal) => Promise<T>): Promise<T> =>
    withTimeLimit({ clock, signal, ms: limits.rollbackMs, what, graceMs: 1000 }, work)
  const existing = (folder: string): FolderStore => {
    const real = realFolder(folder)
    if (!listFolders(store).some((each) => each.folder === real)) throw fail('CHECKPOINTS_NONE', { folder: real })
    return store.of(real)
  }
  const scanOf = (folder: string, signal: AbortSignal): ScanOptions => ({
    ...{ signal, apart: partsOf(home, realFolder(folder)), largestFile: options.bounds().largestFile },
  })
  return {
    ...{ enabled, workspace: options.workspace },
    forTurn: (turn) => {
      if (!enabled()) return undefined
      return createTurnCheckpoint({
        ...{ ...options, ...turn, store, say: sayOnce(turn), apartOf: (folder) => partsOf(home, folder) },
        largestFile: options.bounds().largestFile,
        closed: pruning.tidy,
      })
    },
    list: (folder, signal) => limited(signal, 'Reading checkpoints', (own) => listCheckpoints(store.of(realFolder(folder)), own)),
    folders: () => listFolders(store).map(({ folder }) => folder),
    diff: (folder, number, signal, path) =>
      limited(signal, 'Comparing', (own) => diffNow(existing(folder), { number, path }, scanOf(folder, own))),
    preview: (folder, number, signal) =>
      limited(signal, 'Comparing', async (own) => {
        const files = existing(folder)
        return files.locked(own, () => previewRollback(files, number, scanOf(files.folder, own)))
      }),
    restore: (folder, wish, signal) =>
      limited(signal, 'The rollback', async (own) => {
        const files = existing(folder)
        const asked: RollbackWish = { ...wish, path: wish.path === undefined ? undefined : fromText(wish.path) }
        const surroundings = { ...scanOf(files.folder, own), temporaryName: `.${options.newName()}` }
        return atRest(files, own, () => rollBack(files, asked, surroundings))
      }),
    size: (folder, signal) => limited(signal, 'Measuring', (own) => bytesOf(existing(folder), own)),
    total: (signal) => limited(signal, 'Measuring', async (own) => (listFolders(store).length === 0 ? 0 : bytesOnDisk(store, own))),
    clear: (folder, signal) =>
      limited(signal, 'Forgetting', async (own) => {
        const files = existing(folder)
        const gone = await atRest(files, own, () => clearFolder(files, own))
        await pruneStore(store, rules(), own)
        return gone
      }),
    prune: (signal) => limited(signal, 'Pruning', async (own) => (listFolders(store).length === 0 ? 0 : pruneStore(store, rules(), own))),
    close: pruning.close,
  }
}

/** A turn that runs, also one of another process, would go on in a folder of which it knows something else. */
function atRest<T>(files: FolderStore, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return files.locked(signal, async () => {
    const isRunning = [...runningTurns(files.store)].some((ref) => ref.startsWith(`refs/agent/${files.id}/`))
    if (isRunning) throw fail('CHECKPOINT_BUSY', { folder: files.folder })
    return work()
  })
}

/** A folder that is gone has checkpoints all the same. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    // It is named as it was.
    return folder
  }
}

/** The home lies in the folder: what it holds is nothing for a checkpoint. */
function partsOf(home: string, folder: string): readonly BytesPath[] {
  const path = relative(folder, realFolder(home))
  return path === '' || path.startsWith('..') ? [] : [fromText(path.split(sep).join('/'))]
}

async function listCheckpoints(files: FolderStore, signal: AbortSignal): Promise<readonly Checkpoint[]> {
  if (!listFolders(files.store).some(({ folder }) => folder === files.folder)) return []
  const snapshots = await readSnapshots(files, { signal })
  const changed = new Map(snapshots.flatMap((each) => (each.phase === 'after' ? [[each.number, each.changed ?? 0] as const] : [])))
  return snapshots
    .filter(({ phase }) => phase === 'before')
    .map(({ number, at, kind, session }) => ({ number, at, kind, session, changed: changed.get(number) ?? null }))
    .sort((a, b) => b.number - a.number)
}

async function diffNow(
  files: FolderStore,
  { number, path }: { readonly number: number; readonly path: string | undefined },
  options: Parameters<typeof writeTree>[1],
): Promise<string> {
  const { signal } = options
  return files.locked(signal, async () => {
    const target = findCheckpoint(await readSnapshots(files, { signal }), number, files.folder)
    const now = await writeTree(files, options)
    const words = ['diff', '--patch', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']
    if (path !== undefined && (path.startsWith('/') || path.split('/').includes('..')))
      throw fail('CHECKPOINT_SAME', { file: path, number })
    // A name may look like a pattern.
    const only = path === undefined ? [] : ['--', `:(top,literal)${path}`]
    return (await files.store.git([...words, `${target.commit}:files`, `${now}:files`, ...only], { signal })).toString()
  })
}

const mostSessions = 500

/** What a session is told of troubles, it is told once. */
function createSayOnce(): (turn: Pick<CheckpointedTurn, 'session' | 'say'>) => (text: string) => void {
  const told = new Map<string, Set<string>>()
  return ({ session, say }) =>
    (text) => {
      const known = told.get(session) ?? new Set()
      if (known.has(text)) return
      told.set(session, known.add(text))
      const [oldest] = told.keys()
      if (told.size > mostSessions && oldest !== undefined) told.delete(oldest)
      say(text)
    }
}
