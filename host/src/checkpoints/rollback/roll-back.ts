import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { type BytesPath, lookAt, parentsOf, shownPath } from '../store/bytes-path.ts'
import { diffTrees, type TreeChange } from '../store/diff-trees.ts'
import { createIsApart } from '../store/nested.ts'
import type { FolderStore } from '../store/open-store.ts'
import type { ScanOptions } from '../store/scan-folder.ts'
import { type FolderSnapshot, readSnapshots } from '../store/snapshot-ref.ts'
import { dropSnapshots, keepSnapshot, parseModes, writeTree } from '../store/take-snapshot.ts'
import { type ChangeLedger, isOurs, readLedger, type Stretch } from './ledger.ts'
import { planRollback, type RollbackPlan } from './plan-rollback.ts'
import { restoreFiles } from './restore-files.ts'
import { createWasUnheld, readUnheld } from './was-unheld.ts'

export interface RollbackWish {
  readonly number: number
  /** Only this file. */
  readonly path?: BytesPath | undefined
  /** Also what was edited by hand. */
  readonly all: boolean
  readonly session: string
  /** How the same is said again, with the edits. */
  readonly again: string
}

export interface RolledBack {
  readonly number: number
  readonly at: number
  readonly restored: number
  readonly removed: number
  /** As people read them. */
  readonly left: readonly string[]
  /** The checkpoint that takes it back; absent where nothing changed. */
  readonly undo: number | undefined
}

export interface RollbackSurroundings extends ScanOptions {
  readonly temporaryName: string
}

/** Goes back to a checkpoint, and keeps how everything was before. The lock is held. */
export async function rollBack(
  store: FolderStore,
  wish: RollbackWish,
  { temporaryName, ...scan }: RollbackSurroundings,
): Promise<RolledBack> {
  const { apart, signal } = scan
  const snapshots = await readSnapshots(store, { signal })
  const target = findCheckpoint(snapshots, wish.number, store.folder)
  const now = await writeTree(store, scan)
  const newest = snapshots.at(-1) ?? target
  const about = {
    number: nextNumber(snapshots),
    order: newest.order + 1,
    kind: 'rollback',
    at: store.store.clock.now(),
    session: wish.session,
  } as const
  const before = keepSnapshot(store, now, { ...about, phase: 'before' })
  const changes = only(await diffTrees(store, now, target.commit, signal), wish, target)
  const plan = await makePlan(store, changes, { target, snapshots: [...snapshots, before], apart, signal })
  if (plan.edited.length > 0 && !wish.all) {
    await dropSnapshots(store, [before], signal)
    throw fail('CHECKPOINT_EDITED', { files: namePaths(plan.edited), number: wish.number, again: wish.again })
  }
  const conclude = async (): Promise<number> => {
    const after = await writeTree(store, scan)
    const changed = (await diffTrees(store, now, after, signal)).length
    if (changed === 0) await dropSnapshots(store, [before], signal)
    else keepSnapshot(store, after, { ...about, order: about.order + 1, phase: 'after', changed })
    return changed
  }
  const modes = await modesOf(store, target, signal)
  const done = await restoreFiles(store, { ...plan, modes, temporaryName, signal }).catch(async (error: unknown) => {
    // What it has changed is a rollback's and no person's; where that cannot be written down either, the first reason is the better one.
    const kept = await conclude().catch(() => undefined)
    if (kept === 0) throw error
    throw fail('CHECKPOINT_STOPPED', { number: target.number, problem: reasonOf(error), undo: about.number }, { cause: error })
  })
  const changed = await conclude()
  const left = [...plan.left, ...done.blocked].map(shownPath)
  return { number: target.number, at: target.at, ...done, left, undo: changed === 0 ? undefined : about.number }
}

interface PlanFrom extends Pick<ScanOptions, 'apart' | 'signal'> {
  readonly target: FolderSnapshot
  /** The last of them is how everything is now. */
  readonly snapshots: readonly FolderSnapshot[]
}

/** What a rollback does about what differs. */
export async function makePlan(
  store: FolderStore,
  changes: readonly TreeChange[],
  { target, snapshots, apart, signal }: PlanFrom,
): Promise<RollbackPlan> {
  const isApart = createIsApart(store.folder, apart)
  return planRollback({
    changes,
    ledger: await ledgerSince(store, snapshots, target, signal),
    isTaken: (path) => isApart(path) || standsThere(store.folder, path),
  })
}

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'the disk is full' : detailOf(error).replace(/\.$/, '')

/** What is seen through a link is elsewhere, and a folder may be empty by the time. */
function standsThere(folder: string, path: BytesPath): boolean {
  const about = lookAt(folder, path)
  return about !== undefined && !about.isDirectory() && parentsOf(path).every((parent) => lookAt(folder, parent)?.isDirectory())
}

export function findCheckpoint(snapshots: readonly FolderSnapshot[], number: number, folder: string): FolderSnapshot {
  const found = snapshots.find((each) => each.number === number && each.phase === 'before')
  if (!found) throw fail('CHECKPOINT_UNKNOWN', { number, folder })
  return found
}

export const nextNumber = (snapshots: readonly Pick<FolderSnapshot, 'number'>[]): number =>
  Math.max(0, ...snapshots.map(({ number }) => number)) + 1

/** One file, or all of them. A file that the checkpoint and the folder have alike is simply left; one that neither has is a slip. */
function only(changes: readonly TreeChange[], { path }: RollbackWish, { number }: FolderSnapshot): readonly TreeChange[] {
  if (path === undefined) return changes
  const found = changes.filter((change) => change.path === path)
  if (found.length === 0) throw fail('CHECKPOINT_SAME', { file: shownPath(path), number })
  return found
}

async function ledgerSince(
  store: FolderStore,
  snapshots: readonly FolderSnapshot[],
  target: FolderSnapshot,
  signal: AbortSignal,
): Promise<ChangeLedger> {
  const stretches: Stretch[] = []
  for (const [index, from] of snapshots.entries()) {
    const to = snapshots[index + 1]
    if (!to || from.order < target.order) continue
    const changes = await diffTrees(store, from.commit, to.commit, signal)
    const unheld = changes.length > 0 ? await readUnheld(store, from.commit, signal) : []
    stretches.push({ isOurs: isOurs(snapshots, index), wasUnheld: createWasUnheld(unheld, changes), changes })
  }
  return readLedger(stretches)
}

async function modesOf({ store }: FolderStore, { commit }: FolderSnapshot, signal: AbortSignal): Promise<ReadonlyMap<BytesPath, number>> {
  return parseModes((await store.git(['cat-file', 'blob', `${commit}:modes`], { signal })).toString())
}

const mostNamed = 10

function namePaths(paths: RollbackPlan['left']): string {
  const named = paths.slice(0, mostNamed).map((path) => JSON.stringify(shownPath(path)))
  return paths.length > mostNamed ? `${named.join(', ')} and ${paths.length - mostNamed} more` : named.join(', ')
}
