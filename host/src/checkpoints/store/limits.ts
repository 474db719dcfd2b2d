/** What the person decides about checkpoints. */
export interface CheckpointBounds {
  /** So many of a folder stay. */
  readonly most: number
  /** What all checkpoints of a home may take on the disk. */
  readonly mostBytes: number
  /** A larger file is left out. */
  readonly largestFile: number
  /** An older one goes. */
  readonly oldestMs: number
}

/** What checkpoints take at the most, in one place. */
export const limits = {
  /** A folder with more files gets no checkpoints; what its ignore rules leave out is not counted. */
  mostFiles: 50_000,
  /** Everything is looked through so often; the number of checkpoints of a folder is kept after each turn. */
  pruneEveryMs: 24 * 60 * 60_000,
  /** From so many loose objects on they are packed. */
  mostLoose: 10_000,
  /** How long git may take before a tool runs, and at the end of a turn. */
  snapshotMs: 30_000,
  /** How long a person waits who asked for it, and how long pruning may take. */
  rollbackMs: 600_000,
} as const
