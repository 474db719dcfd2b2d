import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { sqliteCode } from '../engine/storage-error.ts'
import type { Removal } from './removal.ts'
import type { ChangeSession, SessionParts } from './session-parts.ts'
import { cleanTitle } from './titles/title.ts'
import { freeTitle, prepareTitles } from './titles/title-lookup.ts'

interface ChangeParts extends Pick<SessionParts, 'queries' | 'commits' | 'now'> {
  readonly removal: Removal
  readonly change: ChangeSession
}

/** What is done to a session as a whole. */
export function createSessionChanges({
  queries,
  commits,
  now,
  removal,
  change,
}: ChangeParts): Pick<Sessions, 'rename' | 'suggestTitle' | 'end' | 'reopen' | 'endChildren' | 'delete'> {
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
    endChildren: async (parent, reason) => void (await commits.run(() => statements.endChildren.run({ parent, reason, at: now() }))),
    reopen: (id, of) =>
      commits.run(() => {
        const at = now()
        // Used now: else it would end again for its age with the next message.
        if (statements.touch.run({ id, at, ...of }) === 0) return false
        statements.endOthers.run({ id, at, key: of.key })
        statements.reopen.run({ id })
        return true
      }),
    delete: (id) =>
      change(id, () => {
        const changes = removal.session(id)
        removal.texts()
        return changes
      }),
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
    touch: queries.prepare((tables, args: { id: string; at: number; key: string; owner: string }) =>
      tables
        .updateTable('sessions')
        .set({ last_at: args.at })
        .where('id', '=', args.id)
        .where('key', '=', args.key)
        .where('owner', '=', args.owner),
    ),
    endOthers: queries.prepare((tables, args: { id: string; at: number; key: string }) =>
      tables
        .updateTable('sessions')
        .set({ ended_at: args.at, end_reason: sql.lit('resume') })
        .where('key', '=', args.key)
        .where('id', '!=', args.id)
        .where('ended_at', 'is', null),
    ),
    reopen: queries.prepare((tables, args: { id: string }) =>
      tables
        .updateTable('sessions')
        .set({ ended_at: sql.lit(null), end_reason: sql.lit(null) })
        .where('id', '=', args.id),
    ),
    endChildren: prepareEndChildren(queries),
  }
}

/** A branch has a parent too, and is none of them. One that has ended may have some below it that have not; what was imported may name parents in a circle. */
function prepareEndChildren(queries: Queries) {
  return queries.prepare((tables, args: { parent: string; reason: string; at: number }) =>
    tables
      .with(
        (name) => name('children').materialized(),
        (with_) =>
          with_.selectFrom('sessions').select(['id', 'parent']).where('source', '=', sql.lit('subagent')).where('parent', 'is not', null),
      )
      .withRecursive('below', (with_) =>
        with_
          .selectFrom('children')
          .select('children.id')
          .where('children.parent', '=', args.parent)
          .union(with_.selectFrom('children').select('children.id').innerJoin('below', 'below.id', 'children.parent')),
      )
      .updateTable('sessions')
      .set({ ended_at: args.at, end_reason: args.reason })
      .where('id', 'in', (in_) => in_.selectFrom('below').select('below.id'))
      .where('id', '!=', args.parent)
      .where('ended_at', 'is', null),
  )
}
