import type { BytesPath } from '../store/bytes-path.ts'
import type { TreeChange } from '../store/diff-trees.ts'
import type { FolderSnapshot } from '../store/snapshot-ref.ts'

/** What happened to the files of a folder between two neighbouring snapshots. */
export interface Stretch {
  /** A turn of the agent, or a rollback, went on; else only people and other programs can have done it. */
  readonly isOurs: boolean
  /** It stood there at the beginning, and was not held: too large, in a repository, or left out by a rule that is gone. */
  readonly wasUnheld: (path: BytesPath) => boolean
  readonly changes: readonly Pick<TreeChange, 'path' | 'status'>[]
}

/** Who made and who changed the files since a checkpoint. */
export interface ChangeLedger {
  /** The agent made it: it was not there before the agent's work. */
  isMade(path: BytesPath): boolean
  /** Somebody else has changed it. */
  isByHand(path: BytesPath): boolean
}

/** Whether what changed between a snapshot and the next was in a turn that began before and ended after. One that was killed has no end, and counts for nothing. */
export function isOurs(snapshots: readonly Pick<FolderSnapshot, 'number' | 'phase'>[], index: number): boolean {
  const begun = snapshots.slice(0, index + 1).filter(({ phase }) => phase === 'before')
  const ended = new Set(snapshots.slice(index + 1).flatMap(({ number, phase }) => (phase === 'after' ? [number] : [])))
  return begun.some(({ number }) => ended.has(number))
}

/** Stretches come in their order. Who first made a file has made it, also where it went and came again. */
export function readLedger(stretches: readonly Stretch[]): ChangeLedger {
  const first = new Map<BytesPath, 'ours' | 'theirs'>()
  const hand = new Set<BytesPath>()
  for (const { isOurs: ours, wasUnheld, changes } of stretches)
    for (const { path } of changes) {
      if (!first.has(path)) first.set(path, ours && !wasUnheld(path) ? 'ours' : 'theirs')
      if (!ours) hand.add(path)
    }
  return { isMade: (path) => first.get(path) === 'ours', isByHand: (path) => hand.has(path) }
}
