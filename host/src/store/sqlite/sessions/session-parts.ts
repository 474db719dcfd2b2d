import type { GroupCommit } from '../engine/group-commit.ts'
import type { Queries } from '../engine/statement.ts'
import type { TextIndex } from './text-index.ts'
import type { TurnWriter } from './turn-writer.ts'

export interface SessionParts {
  readonly queries: Queries
  /** The read-only connection, opened at its first use. */
  readonly reader: () => Queries
  readonly commits: GroupCommit
  readonly writeTurn: TurnWriter
  readonly index: TextIndex
  readonly now: () => number
}

/** Changes what is stored of a session inside one commit; answers with how many sessions that were. */
export type ChangeSession = (id: string, job: () => number) => Promise<void>
