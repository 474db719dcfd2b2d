import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { sqliteCode } from '../engine/storage-error.ts'
import type { CompressionReader } from './compressions.ts'
import type { ChangeSession, SessionParts } from './session-parts.ts'
import { cleanTitle } from './title.ts'

interface ChangeParts extends Pick<SessionParts, 'queries' | 'now'> {
  readonly compressions: CompressionReader
  readonly change: ChangeSession
}

/** What is done to a session as a whole. */
export function createSessionChanges({ queries, now, compressions, change }: ChangeParts): Pick<Sessions, 'rename' | 'end' | 'delete'> {
  const statements = prepareStatements(queries)
  return {
    async rename(id, title) {
      const clean = cleanTitle(title)
      await change(id, () => {
        try {
          return statements.rename.run({ id, title: clean })
        } catch (error) {
          if (sqliteCode(error) === 'SQLITE_CONSTRAINT_UNIQUE') throw fail('TITLE_TAKEN', { title: clean }, { cause: error })
          throw error
        }
      })
      return clean
    },
    end: (id, reason) => change(id, () => statements.end.run({ id, reason, at: now() })),
    delete: (id) =>
      change(id, () => {
        statements.orphan.run({ id })
        compressions.forget(id, -1)
        statements.deleteMessages.run({ id })
        const changes = statements.deleteSession.run({ id })
        statements.deleteTexts.run({})
        return changes
      }),
  }
}

function prepareStatements(queries: Queries) {
  return {
    rename: queries.prepare((tables, args: { id: string; title: string }) =>
      tables.updateTable('sessions').set({ title: args.title }).where('id', '=', args.id),
    ),
    end: queries.prepare((tables, args: { id: string; reason: string; at: number }) =>
      tables.updateTable('sessions').set({ ended_at: args.at, end_reason: args.reason }).where('id', '=', args.id),
    ),
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
