import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Branch, Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import type { SessionTable } from '../engine/tables.ts'
import type { SessionLookup } from './session-lookup.ts'
import type { SessionParts } from './session-parts.ts'
import { freeTitle, prepareTitles } from './titles/title-lookup.ts'

/** What a branch has from the session that it comes from, beside its messages. */
const kept = ['source', 'provider', 'model', 'system', 'tools', 'messages', 'workspace', 'context', 'owner'] as const

interface BranchParts extends Pick<SessionParts, 'queries' | 'commits' | 'index' | 'now'> {
  readonly lookup: SessionLookup
}

export function createBranches({ queries, commits, index, now, lookup }: BranchParts): Pick<Sessions, 'branch'> {
  const write = createBranchWriter(queries)
  return {
    async branch(id, branch) {
      const made = await commits.run(() => {
        write(id, branch, now())
        return lookup.byId(branch.as)
      })
      if (!made) throw fail('SESSION_NOT_FOUND', { session: branch.as })
      index.note(made.messages)
      return made
    },
  }
}

/** Copies a session inside the caller's transaction. */
function createBranchWriter(queries: Queries): (id: string, branch: Branch, at: number) => void {
  const titles = prepareTitles(queries)
  const statements = prepareStatements(queries)
  return (id, { as, title, takesPlace = false }, at) => {
    const from = statements.find.get({ id })
    if (!from) throw fail('SESSION_NOT_FOUND', { session: id })
    if (takesPlace) statements.end.run({ id, at })
    const name = title ?? from.title
    const key = takesPlace && from.ended_at === null ? from.key : null
    const titledBy = title === undefined ? from.titled_by : 'person'
    const made = statements.copySession.get({ id, as, at, key, title: name === null ? null : freeTitle(titles, name), titledBy })
    if (!made) throw new Error('A session could not be copied.')
    const copied = { from: from.seq, to: made.seq }
    statements.copyMessages.run(copied)
    statements.copyCompressions.run(copied)
  }
}

type Copied = { readonly from: number; readonly to: number }

function prepareStatements(queries: Queries) {
  return {
    find: queries.prepare((tables, args: { id: string }) =>
      tables.selectFrom('sessions').select(['seq', 'title', 'titled_by', 'key', 'ended_at']).where('id', '=', args.id),
    ),
    end: queries.prepare((tables, args: { id: string; at: number }) =>
      tables
        .updateTable('sessions')
        .set({ ended_at: args.at, end_reason: sql.lit('branch') })
        .where('id', '=', args.id)
        .where('ended_at', 'is', null),
    ),
    copySession: queries.prepare(
      (
        tables,
        args: { id: string; as: string; at: number } & Pick<SessionTable, 'key' | 'title'> & { titledBy: SessionTable['titled_by'] },
      ) =>
        tables
          .insertInto('sessions')
          .columns(['id', 'key', 'title', 'titled_by', 'parent', 'started_at', 'last_at', ...counts, ...kept])
          .expression((from) =>
            from
              .selectFrom('sessions')
              .select([
                sql<string>`${args.as}`.as('id'),
                sql<string | null>`${args.key}`.as('key'),
                sql<string | null>`${args.title}`.as('title'),
                sql<string | null>`${args.titledBy}`.as('titled_by'),
                sql<string>`${args.id}`.as('parent'),
                sql<number>`${args.at}`.as('started_at'),
                sql<number>`${args.at}`.as('last_at'),
                ...counts.map((name) => sql<number>`0`.as(name)),
                ...kept,
              ])
              .where('id', '=', args.id),
          )
          .returning('seq'),
    ),
    ...prepareCopies(queries),
  }
}

function prepareCopies(queries: Queries) {
  return {
    copyMessages: queries.prepare((tables, args: Copied) =>
      tables
        .insertInto('messages')
        .columns(['session', 'role', 'parts', 'text', 'at'])
        .expression((from) =>
          from
            .selectFrom('messages')
            .select([sql<number>`${args.to}`.as('session'), 'role', 'parts', 'text', 'at'])
            .where('session', '=', args.from)
            .orderBy('seq'),
        ),
    ),
    copyCompressions: queries.prepare((tables, args: Copied) =>
      tables
        .insertInto('compressions')
        .columns(['session', 'up_to', 'messages', 'reason', 'tokens_before', 'tokens_after', 'at'])
        .expression((from) =>
          from
            .selectFrom('compressions')
            .select([sql<number>`${args.to}`.as('session'), 'up_to', 'messages', 'reason', 'tokens_before', 'tokens_after', 'at'])
            .where('session', '=', args.from)
            .orderBy('seq'),
        ),
    ),
  }
}

/** What was used for the session that it comes from stays counted there. */
const counts = ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'calls'] as const
