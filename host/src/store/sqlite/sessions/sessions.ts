import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { createBranches } from './branch.ts'
import { createCompressionReader } from './compressions.ts'
import { createImport } from './import-session.ts'
import { parseMessage } from './message-rows.ts'
import { createOldSessions } from './old-sessions.ts'
import { createRemoval } from './removal.ts'
import { createSessionChanges } from './session-changes.ts'
import { createSessionCuts } from './session-cuts.ts'
import { createSessionLists } from './session-lists.ts'
import { createSessionLookup } from './session-lookup.ts'
import type { ChangeSession, SessionParts } from './session-parts.ts'
import { freeTitle, prepareTitles } from './titles/title-lookup.ts'

export function createSessions(parts: SessionParts): Sessions {
  const { queries, reader, commits, writeTurn, index } = parts
  const lookup = createSessionLookup(queries)
  const lists = createSessionLists(reader)
  const titles = prepareTitles(queries)
  const history = prepareHistory(queries)
  const compressions = createCompressionReader(queries)
  const removal = createRemoval(queries, compressions)

  const change: ChangeSession = (id, job) =>
    commits.run(() => {
      if (job() === 0) throw fail('SESSION_NOT_FOUND', { session: id })
    })

  return {
    ...lists,
    ...createSessionChanges({ ...parts, removal, change }),
    ...createOldSessions({ ...parts, removal }),
    ...createImport({ ...parts, lookup, removal }),
    ...createSessionCuts({ ...parts, lookup, compressions, change }),
    ...createBranches({ ...parts, lookup }),
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
    history: async (id) => history.all({ id, from: 0 }).map(parseMessage),
    heard: async (id) => {
      const { upTo, messages } = compressions.newest(id) ?? { upTo: 0, messages: [] }
      return [...messages, ...history.all({ id, from: upTo }).map(parseMessage)]
    },
    compressions: async (id) => compressions.count(id),
    nextTitle: async (title) => freeTitle(titles, title),
  }
}

function prepareHistory(queries: Queries) {
  return queries.prepare((tables, args: { id: string; from: number }) =>
    tables
      .selectFrom('messages')
      .select(['role', 'parts'])
      .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id))
      .orderBy('seq')
      .limit(sql.lit(-1))
      .offset(args.from),
  )
}
