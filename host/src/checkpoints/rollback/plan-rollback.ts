import type { BytesPath } from '../store/bytes-path.ts'
import type { TreeChange } from '../store/diff-trees.ts'
import type { ChangeLedger } from './ledger.ts'

export interface PlanOptions {
  /** From now to the checkpoint. */
  readonly changes: readonly TreeChange[]
  readonly ledger: ChangeLedger
  /** Something stands there that no snapshot holds: ignored, too large, part of another repository. */
  readonly isTaken: (path: BytesPath) => boolean
}

export interface RollbackPlan {
  readonly restore: readonly TreeChange[]
  readonly remove: readonly BytesPath[]
  /** Left as they are: somebody else made them, or no snapshot holds what stands there. */
  readonly left: readonly BytesPath[]
  /** Of those that would change: what was edited by hand since. */
  readonly edited: readonly BytesPath[]
}

/** A rollback touches only what is absent, or held by the snapshot that is taken before it. */
export function planRollback({ changes, ledger, isTaken }: PlanOptions): RollbackPlan {
  const restore: TreeChange[] = []
  const remove: BytesPath[] = []
  const left: BytesPath[] = []
  for (const change of changes) {
    const { path, status } = change
    if (status === 'D') (ledger.isMade(path) ? remove : left).push(path)
    else if (status === 'A' && isTaken(path)) left.push(path)
    else restore.push(change)
  }
  const overwritten = restore.flatMap(({ path, status }) => (status === 'M' ? [path] : []))
  return { restore, remove, left, edited: [...overwritten, ...remove].filter(ledger.isByHand) }
}
