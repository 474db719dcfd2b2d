/** What checkpoints take at the most, in one place. */
export const limits = {
  /** A folder with more files gets no checkpoints; what its ignore rules leave out is not counted. */
  mostFiles: 50_000,
  /** A larger file is left out. */
  largestFile: 10 * 1024 * 1024,
  /** What all checkpoints of a home may take on the disk. */
  mostBytes: 500 * 1024 * 1024,
  /** An older one goes. */
  oldestMs: 7 * 24 * 60 * 60_000,
  /** Everything is looked through so often; the number of checkpoints of a folder is kept after each turn. */
  pruneEveryMs: 24 * 60 * 60_000,
  /** From so many loose objects on they are packed. */
  mostLoose: 10_000,
  /** How long git may take before a tool runs, and at the end of a turn. */
  snapshotMs: 30_000,
  /** How long a person waits who asked for it, and how long pruning may take. */
  rollbackMs: 600_000,
} as const
