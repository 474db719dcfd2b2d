import { sql } from 'kysely'
import type { AgeRule, Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import type { Removal } from './removal.ts'
import type { SessionParts } from './session-parts.ts'
import { preview, summaryColumns, toSummary } from './session-row.ts'

interface OldParts extends Pick<SessionParts, 'queries' | 'reader' | 'commits' | 'now'> {
  readonly removal: Removal
}

/** What finds and deletes sessions that nobody has used for long. */
export function createOldSessions({ queries, reader, commits, now, removal }: OldParts): Pick<Sessions, 'old' | 'deleteOld' | 'touch'> {
  const statements = prepareStatements(queries)
  let find: ReturnType<typeof prepareFind> | undefined
  return {
    old: async (rule) => {
      find ??= prepareFind(reader())
      return find.all(argsOf(rule)).map((row) => ({ ...toSummary(row), preview: row.preview ?? '' }))
    },
    // Each in a job for itself, so that everything else has its turn between them.
    deleteOld: async (found, rule) => {
      const { before, titled } = argsOf(rule)
      const done = found.map(({ id }) =>
        commits.run(() => {
          const isOld = statements.isOld.get({ id, before, titled }) !== undefined
          if (isOld) removal.session(id)
          return isOld
        }),
      )
      const count = (await Promise.all(done)).filter(Boolean).length
      if (count > 0) await commits.run(removal.texts)
      return count
    },
    touch: (id) => commits.run(() => statements.touch.run({ id, at: now() }) > 0),
  }
}

const argsOf = ({ before, keep, titled }: AgeRule) => ({ before, keep, titled: titled ? 1 : 0 })

function prepareStatements(queries: Queries) {
  return {
    isOld: queries.prepare((tables, args: { id: string; before: number; titled: number }) =>
      tables
        .selectFrom('sessions')
        .select('seq')
        .where('id', '=', args.id)
        .where('last_at', '<', args.before)
        .where(sql<boolean>`(${args.titled} OR titled_by IS NOT 'person')`),
    ),
    touch: queries.prepare((tables, args: { id: string; at: number }) =>
      tables
        .updateTable('sessions')
        .set({ last_at: sql<number>`max(last_at, ${args.at})` })
        .where('id', '=', args.id),
    ),
  }
}

function prepareFind(queries: Queries) {
  return queries.prepare((tables, args: { before: number; keep: number; titled: number }) =>
    tables
      .selectFrom('sessions')
      .select(summaryColumns)
      .select(preview)
      .where('last_at', '<', args.before)
      .where(sql<boolean>`(${args.titled} OR titled_by IS NOT 'person')`)
      .where(sql<boolean>`seq NOT IN (SELECT seq FROM sessions ORDER BY last_at DESC, seq DESC LIMIT ${args.keep})`)
      .orderBy('last_at')
      .orderBy('seq'),
  )
}
