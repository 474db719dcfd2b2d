import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import type { CompressionReader } from './compressions.ts'
import type { SessionLookup } from './session-lookup.ts'
import type { ChangeSession, SessionParts } from './session-parts.ts'

interface CutParts extends Pick<SessionParts, 'queries' | 'commits'> {
  readonly lookup: SessionLookup
  readonly compressions: CompressionReader
  readonly change: ChangeSession
}

/** What takes the last messages out of a session. */
export function createSessionCuts({ queries, commits, lookup, compressions, change }: CutParts): Pick<Sessions, 'truncate' | 'takeBack'> {
  const statements = prepareStatements(queries)
  const cut = (id: string, messages: number): number => {
    statements.deleteFrom.run({ id, messages })
    compressions.forget(id, messages)
    return statements.recount.run({ id, messages })
  }
  return {
    truncate: (id, messages) => change(id, () => cut(id, messages)),
    takeBack: (id) =>
      commits.run(() => {
        const found = lookup.byId(id)
        if (!found) throw fail('SESSION_NOT_FOUND', { session: id })
        const last = statements.lastAsked.get({ id })
        if (!last) return undefined
        cut(id, last.kept)
        return { text: last.text, messages: found.messages - last.kept, kept: last.kept }
      }),
  }
}

function prepareStatements(queries: Queries) {
  return {
    deleteFrom: queries.prepare((tables, args: { id: string; messages: number }) =>
      tables.deleteFrom('messages').where(
        'seq',
        'in',
        tables
          .selectFrom('messages')
          .select('seq')
          .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id))
          .orderBy('seq')
          .limit(sql.lit(-1))
          .offset(args.messages),
      ),
    ),
    lastAsked: queries.prepare((tables, args: { id: string }) =>
      tables
        .selectFrom('messages as asked')
        .select(sql<string>`substr(text, 1, 200)`.as('text'))
        .select(sql<number>`(SELECT count(*) FROM messages WHERE session = asked.session AND seq < asked.seq)`.as('kept'))
        .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id))
        .where('role', '=', sql.lit('user' as const))
        .orderBy('seq', 'desc')
        .limit(sql.lit(1)),
    ),
    recount: queries.prepare((tables, args: { id: string; messages: number }) =>
      tables
        .updateTable('sessions')
        .set((eb) => ({ messages: eb.fn<number>('min', [eb.ref('messages'), eb.val(args.messages)]), context: null }))
        .where('id', '=', args.id),
    ),
  }
}
