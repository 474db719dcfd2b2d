import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Sessions } from '../../sessions.ts'
import type { GroupCommit } from '../engine/group-commit.ts'
import type { Queries } from '../engine/statement.ts'
import { sqliteCode } from '../engine/storage-error.ts'
import { createCompressionReader } from './compressions.ts'
import { parseMessage } from './message-rows.ts'
import { createSessionLists } from './session-lists.ts'
import { createSessionLookup } from './session-lookup.ts'
import type { TextIndex } from './text-index.ts'
import { cleanTitle } from './title.ts'
import { freeTitle, prepareTitles } from './title-lookup.ts'
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

export function createSessions({ queries, reader, commits, writeTurn, index, now }: SessionParts): Sessions {
  const lookup = createSessionLookup(queries)
  const lists = createSessionLists(reader)
  const titles = prepareTitles(queries)
  const statements = prepareStatements(queries)
  const compressions = createCompressionReader(queries)

  const change = (id: string, job: () => number): Promise<void> =>
    commits.run(() => {
      if (job() === 0) throw fail('SESSION_NOT_FOUND', { session: id })
    })

  const cut = (id: string, messages: number): number => {
    statements.deleteFrom.run({ id, messages })
    compressions.forget(id, messages)
    return statements.recount.run({ id, messages })
  }

  return {
    ...lists,
    find: async (id) => lookup.byId(id),
    byKey: async (key) => lookup.byKey(key),
    resolve: async (reference, options) => lookup.resolve(reference, options?.sources),
    async commit(rows) {
      await commits.run(() => writeTurn(rows))
      index.note(rows.messages.length)
    },
    async search(query, options) {
      await index.finish()
      return lists.search(query, options)
    },
    history: async (id) => statements.history.all({ id, from: 0 }).map(parseMessage),
    heard: async (id) => {
      const { upTo, messages } = compressions.newest(id) ?? { upTo: 0, messages: [] }
      return [...messages, ...statements.history.all({ id, from: upTo }).map(parseMessage)]
    },
    compressions: async (id) => compressions.count(id),
    nextTitle: async (title) => freeTitle(titles, title),
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
    history: queries.prepare((tables, args: { id: string; from: number }) =>
      tables
        .selectFrom('messages')
        .select(['role', 'parts'])
        .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id))
        .orderBy('seq')
        .limit(sql.lit(-1))
        .offset(args.from),
    ),
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
    deleteTexts: queries.prepare((tables, _args: Record<never, never>) =>
      tables.deleteFrom('texts').where(sql<boolean>`id NOT IN (SELECT system FROM sessions UNION SELECT tools FROM sessions)`),
    ),
    deleteSession: queries.prepare((tables, args: { id: string }) => tables.deleteFrom('sessions').where('id', '=', args.id)),
  }
}
