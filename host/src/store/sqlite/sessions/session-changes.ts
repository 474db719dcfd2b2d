import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { sqliteCode } from '../engine/storage-error.ts'
import type { CompressionReader } from './compressions.ts'
import type { ChangeSession, SessionParts } from './session-parts.ts'
import { cleanTitle } from './title.ts'
import { freeTitle, prepareTitles } from './title-lookup.ts'

interface ChangeParts extends Pick<SessionParts, 'queries' | 'commits' | 'now'> {
  readonly remove: RemoveSession
  readonly change: ChangeSession
}

/** What is done to a session as a whole. */
export function createSessionChanges({
  queries,
  commits,
  now,
  remove,
  change,
}: ChangeParts): Pick<Sessions, 'rename' | 'suggestTitle' | 'end' | 'delete'> {
  const titles = prepareTitles(queries)
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
    suggestTitle: (id, wanted) =>
      commits.run(() => {
        const title = freeTitle(titles, wanted)
        return statements.suggest.run({ id, title }) > 0 ? title : undefined
      }),
    end: (id, reason) => change(id, () => statements.end.run({ id, reason, at: now() })),
    delete: (id) =>
      change(id, () => {
        statements.orphan.run({ id })
        return remove(id)
      }),
  }
}

/** Deletes the rows of a session inside the caller's transaction; answers with how many sessions that were. */
export type RemoveSession = (id: string) => number

export function createRemoval(queries: Queries, compressions: CompressionReader): RemoveSession {
  const statements = prepareRemoval(queries)
  return (id) => {
    compressions.forget(id, -1)
    statements.deleteMessages.run({ id })
    const changes = statements.deleteSession.run({ id })
    statements.deleteTexts.run({})
    return changes
  }
}

function prepareStatements(queries: Queries) {
  return {
    rename: queries.prepare((tables, args: { id: string; title: string }) =>
      tables
        .updateTable('sessions')
        .set({ title: args.title, titled_by: sql.lit('person' as const) })
        .where('id', '=', args.id),
    ),
    suggest: queries.prepare((tables, args: { id: string; title: string }) =>
      tables
        .updateTable('sessions')
        .set({ title: args.title, titled_by: sql.lit('model' as const) })
        .where('id', '=', args.id)
        .where('title', 'is', null),
    ),
    end: queries.prepare((tables, args: { id: string; reason: string; at: number }) =>
      tables.updateTable('sessions').set({ ended_at: args.at, end_reason: args.reason }).where('id', '=', args.id),
    ),
    orphan: queries.prepare((tables, args: { id: string }) =>
      tables.updateTable('sessions').set({ parent: null }).where('parent', '=', args.id),
    ),
  }
}

function prepareRemoval(queries: Queries) {
  return {
    deleteMessages: queries.prepare((tables, args: { id: string }) =>
      tables.deleteFrom('messages').where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id)),
    ),
    deleteTexts: queries.prepare((tables, _args: Record<never, never>) =>
      tables.deleteFrom('texts').where(sql<boolean>`id NOT IN (SELECT system FROM sessions UNION SELECT tools FROM sessions)`),
    ),
    deleteSession: queries.prepare((tables, args: { id: string }) => tables.deleteFrom('sessions').where('id', '=', args.id)),
  }
}
