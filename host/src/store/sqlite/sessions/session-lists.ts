import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { ExportLine, Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { parseCompression } from './compressions.ts'
import { parseMessage } from './message-rows.ts'
import { formatSearchQuery } from './search-query.ts'
import { prefixColumns, preview, summaryColumns, toSession, toSummary } from './session-row.ts'

const exportPage = 200

/** Words that stand in more messages say little about any of them; the newest are ranked. */
const mostRanked = 10_000

/** What reads much and changes nothing; runs on the read-only connection. */
export function createSessionLists(reader: () => Queries): Pick<Sessions, 'list' | 'search' | 'export' | 'childAgents'> {
  let ready: ReturnType<typeof prepareStatements> | undefined
  const statements = () => {
    ready ??= prepareStatements(reader())
    return ready
  }
  return {
    async list({ limit, offset = 0, source, of }: Parameters<Sessions['list']>[0]) {
      const page = { limit, offset }
      const rows = of ? statements().listOf.all({ ...page, ...of }) : statements().list.all({ ...page, source: source ?? null })
      return rows.map((row) => ({ ...toSummary(row), preview: row.preview ?? '' }))
    },
    childAgents: async () =>
      new Map(
        statements()
          .children.all({})
          .flatMap(({ id, parent }) => (parent === null ? [] : [[id, parent]])),
      ),
    async search(typed: string, { limit, source = null }: { limit: number; source?: string | null | undefined }) {
      const query = formatSearchQuery(typed)
      if (query === null) return []
      const { search, bound } = statements()
      const from = bound.get({ query })?.seq ?? 0
      const newest = search.all({ query, limit, source, from })
      // Those of one door may be older than all that were ranked.
      const found = from > 0 && newest.length < limit ? search.all({ query, limit, source, from: 0 }) : newest
      return found.map((row) => ({ ...row, snippet: row.snippet.replace(/\s+/g, ' ') }))
    },
    async *export(id: string): AsyncIterable<ExportLine> {
      const row = statements().session.get({ id })
      if (!row) throw fail('SESSION_NOT_FOUND', { session: id })
      const { seq } = row
      yield { type: 'session', session: toSession(row) }
      for (let after = 0; ; ) {
        const page = statements().page.all({ session: seq, after })
        for (const message of page) yield { type: 'message', at: message.at, message: parseMessage(message) }
        const last = page.at(-1)
        if (!last || page.length < exportPage) break
        after = last.seq
      }
      for (const row of statements().compressions.all({ session: seq }))
        yield { type: 'compression', at: row.at, compression: parseCompression(row) }
    },
  }
}

function prepareStatements(queries: Queries) {
  return {
    session: queries.prepare((tables, args: { id: string }) =>
      tables
        .selectFrom('sessions')
        .select([...summaryColumns, ...prefixColumns])
        .where('id', '=', args.id),
    ),
    page: queries.prepare((tables, args: { session: number; after: number }) =>
      tables
        .selectFrom('messages')
        .select(['seq', 'role', 'parts', 'at'])
        .where('session', '=', args.session)
        .where('seq', '>', args.after)
        .orderBy('seq')
        .limit(sql.lit(exportPage)),
    ),
    compressions: queries.prepare((tables, args: { session: number }) =>
      tables.selectFrom('compressions').selectAll().where('session', '=', args.session).orderBy('seq'),
    ),
    children: queries.prepare((tables) =>
      tables.selectFrom('sessions').select(['id', 'parent']).where('source', '=', sql.lit('subagent')).where('parent', 'is not', null),
    ),
    listOf: queries.prepare((tables, args: { limit: number; offset: number; key: string; owner: string }) =>
      tables
        .selectFrom('sessions')
        .select(summaryColumns)
        .select(preview)
        .where('key', '=', args.key)
        .where('owner', '=', args.owner)
        .orderBy('last_at', 'desc')
        .orderBy('seq', 'desc')
        .limit(args.limit)
        .offset(args.offset),
    ),
    list: queries.prepare((tables, args: { limit: number; offset: number; source: string | null }) =>
      tables
        .selectFrom('sessions')
        .select(summaryColumns)
        .select(preview)
        .where(sql<boolean>`(CASE WHEN ${args.source} IS NULL THEN source <> 'subagent' ELSE source = ${args.source} END)`)
        .orderBy('last_at', 'desc')
        .orderBy('seq', 'desc')
        .limit(args.limit)
        .offset(args.offset),
    ),
    ...prepareSearch(queries),
  }
}

function prepareSearch(queries: Queries) {
  return {
    /** The oldest message that is ranked; none where all are. */
    bound: queries.prepare((tables, args: { query: string }) =>
      tables
        .selectFrom('message_text')
        .select('rowid as seq')
        .where(sql<boolean>`message_text MATCH ${args.query}`)
        .orderBy('rowid', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(mostRanked - 1)),
    ),
    search: queries.prepare((tables, args: { query: string; limit: number; source: string | null; from: number }) =>
      tables
        .selectFrom('message_text')
        .innerJoin('messages', 'messages.seq', 'message_text.rowid')
        .innerJoin('sessions', 'sessions.seq', 'messages.session')
        .select(['sessions.id as session', 'sessions.title', 'sessions.source', 'messages.role', 'messages.at'])
        .select(sql<string>`snippet(message_text, 0, '>>>', '<<<', '…', 24)`.as('snippet'))
        .where(sql<boolean>`message_text MATCH ${args.query}`)
        // Numbers are bound as floating point, of which FTS5 makes no bound.
        .where(sql<boolean>`message_text.rowid >= CAST(${args.from} AS INTEGER)`)
        .where(sql<boolean>`(${args.source} IS NULL OR sessions.source = ${args.source})`)
        .orderBy('message_text.rank')
        .limit(args.limit),
    ),
  }
}
