import { sql } from 'kysely'
import type { Queries } from '../engine/statement.ts'
import type { CompressionReader } from './compressions.ts'

/** Deletes what there is of sessions inside the caller's transaction. */
export interface Removal {
  /** The rows of a session; answers with how many sessions that were. Its branches keep it as their parent. */
  rows(id: string): number
  /** The same of one that its branches forget as well. */
  session(id: string): number
  /** Prefixes that no session has any more; looks through all sessions. */
  texts(): void
}

export function createRemoval(queries: Queries, compressions: CompressionReader): Removal {
  const statements = prepareRemoval(queries)
  const rows = (id: string): number => {
    compressions.forget(id, -1)
    statements.deleteMessages.run({ id })
    return statements.deleteSession.run({ id })
  }
  return {
    rows,
    session: (id) => {
      statements.orphan.run({ id })
      return rows(id)
    },
    texts: () => void statements.deleteTexts.run({}),
  }
}

function prepareRemoval(queries: Queries) {
  return {
    orphan: queries.prepare((tables, args: { id: string }) =>
      tables.updateTable('sessions').set({ parent: null }).where('parent', '=', args.id),
    ),
    deleteMessages: queries.prepare((tables, args: { id: string }) =>
      tables.deleteFrom('messages').where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id)),
    ),
    deleteTexts: queries.prepare((tables, _args: Record<never, never>) =>
      tables.deleteFrom('texts').where(sql<boolean>`id NOT IN (SELECT system FROM sessions UNION SELECT tools FROM sessions)`),
    ),
    deleteSession: queries.prepare((tables, args: { id: string }) => tables.deleteFrom('sessions').where('id', '=', args.id)),
  }
}
