import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Session } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { prefixColumns, type SessionRow, summaryColumns, toSession } from './session-row.ts'
import { parseLineage } from './titles/title.ts'
import { findLineage, prepareTitles, type Titles } from './titles/title-lookup.ts'

export interface SessionLookup {
  byId(id: string): Session | undefined
  byKey(key: string): Session | undefined
  resolve(reference: string, sources: readonly string[] | undefined): Session
}

export function createSessionLookup(queries: Queries): SessionLookup {
  const titles = prepareTitles(queries)
  const statements = prepareStatements(queries)
  const load = (row: SessionRow | undefined): Session | undefined => row && toSession(row)
  const byId = (id: string): Session | undefined => load(statements.byId.get({ id }))

  const byPrefix = (reference: string): string | undefined => {
    const from = reference.startsWith('ses_') ? reference : `ses_${reference}`
    const found = statements.byPrefix.all({ from, to: `${from}{` })
    if (found.length > 1) throw fail('SESSION_AMBIGUOUS', { session: reference, matches: found.map((row) => row.id).join(', ') })
    return found[0]?.id
  }

  return {
    byId,
    byKey: (key) => load(statements.byKey.get({ key })),
    resolve(reference, sources) {
      const exact = byId(reference)
      if (exact) return exact
      const id =
        reference === 'latest'
          ? statements.latest.get({ sources: sources ? JSON.stringify(sources) : null })?.id
          : (byTitle(titles, reference) ?? byPrefix(reference))
      const found = id === undefined ? undefined : byId(id)
      if (!found) throw fail('SESSION_NOT_FOUND', { session: reference })
      return found
    },
  }
}

function byTitle(titles: Titles, title: string): string | undefined {
  const wanted = parseLineage(title)
  const lineage = findLineage(titles, wanted.name)
  return (wanted.number === 1 ? lineage[0] : lineage.find((row) => row.number === wanted.number))?.id
}

function prepareStatements(queries: Queries) {
  return {
    byId: queries.prepare((tables, args: { id: string }) =>
      tables
        .selectFrom('sessions')
        .select([...summaryColumns, ...prefixColumns])
        .where('id', '=', args.id),
    ),
    byKey: queries.prepare((tables, args: { key: string }) =>
      tables
        .selectFrom('sessions')
        .select([...summaryColumns, ...prefixColumns])
        .where('key', '=', args.key)
        .where('ended_at', 'is', null),
    ),
    byPrefix: queries.prepare((tables, args: { from: string; to: string }) =>
      tables.selectFrom('sessions').select('id').where('id', '>=', args.from).where('id', '<', args.to).orderBy('id').limit(sql.lit(6)),
    ),
    latest: queries.prepare((tables, args: { sources: string | null }) =>
      tables
        .selectFrom('sessions')
        .select('id')
        .where('messages', '>', sql.lit(0))
        .where(
          sql<boolean>`(CASE WHEN ${args.sources} IS NULL THEN source <> 'subagent' ELSE source IN (SELECT value FROM json_each(${args.sources})) END)`,
        )
        .orderBy('last_at', 'desc')
        .orderBy('seq', 'desc')
        .limit(sql.lit(1)),
    ),
  }
}
