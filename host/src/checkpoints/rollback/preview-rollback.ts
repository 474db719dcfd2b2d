import { shownPath } from '../store/bytes-path.ts'
import { type ChangeStatus, diffTrees } from '../store/diff-trees.ts'
import type { FolderStore } from '../store/open-store.ts'
import type { ScanOptions } from '../store/scan-folder.ts'
import { type FolderSnapshot, readSnapshots } from '../store/snapshot-ref.ts'
import { writeTree } from '../store/take-snapshot.ts'
import { findCheckpoint, makePlan, nextNumber } from './roll-back.ts'

/** A file that differs from a checkpoint. */
export interface DifferingFile {
  /** As people read it. */
  readonly path: string
  /** What became of it since. */
  readonly since: 'made' | 'deleted' | 'changed'
  /** What a rollback does to it. */
  readonly rollback: 'restore' | 'delete' | 'leave'
  /** It was edited by hand, and a rollback takes that. */
  readonly edited: boolean
}

/** From now to the checkpoint. */
const since = { A: 'deleted', D: 'made', M: 'changed' } as const satisfies Record<ChangeStatus, DifferingFile['since']>

/** What a rollback would do, without doing it: those that were edited first, then by path. The lock is held. */
export async function previewRollback(store: FolderStore, number: number, scan: ScanOptions): Promise<readonly DifferingFile[]> {
  const { signal } = scan
  const snapshots = await readSnapshots(store, { signal })
  const target = findCheckpoint(snapshots, number, store.folder)
  const tree = await writeTree(store, scan)
  const changes = await diffTrees(store, tree, target.commit, signal)
  const plan = await makePlan(store, changes, { ...scan, target, snapshots: [...snapshots, asSnapshot(tree, snapshots, store)] })
  const [restored, removed, edited] = [new Set(plan.restore.map(({ path }) => path)), new Set(plan.remove), new Set(plan.edited)]
  const files = changes.map(
    ({ path, status }): DifferingFile => ({
      path: shownPath(path),
      since: since[status],
      rollback: restored.has(path) ? 'restore' : removed.has(path) ? 'delete' : 'leave',
      edited: edited.has(path),
    }),
  )
  return files.sort((one, other) => Number(other.edited) - Number(one.edited) || (one.path < other.path ? -1 : 1))
}

/** Nothing is kept of how everything is now: it is looked at as the snapshot that a rollback would begin with. */
function asSnapshot(tree: string, snapshots: readonly FolderSnapshot[], { store }: FolderStore): FolderSnapshot {
  const order = Math.max(0, ...snapshots.map((each) => each.order)) + 1
  const about = { number: nextNumber(snapshots), order, at: store.clock.now(), session: '' }
  return { ...about, kind: 'rollback', phase: 'before', ref: '', commit: tree }
}
