import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { TurnRows } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import { sqliteCode } from '../engine/storage-error.ts'
import { createCompressionWriter } from './compressions.ts'
import { createMessageWriter } from './message-writer.ts'
import { createSharedTexts } from './shared-texts.ts'
import { freeTitle, prepareTitles } from './titles/title-lookup.ts'

/** Writes the rows of a turn inside the caller's transaction. */
export type TurnWriter = (rows: TurnRows) => void

type Counted = {
  readonly messages: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly reasoning: number
  readonly calls: number
  readonly context: number | null
}

export function createTurnWriter(queries: Queries): TurnWriter {
  const titles = prepareTitles(queries)
  const texts = createSharedTexts(queries)
  const add = prepareAdd(queries)
  const create = prepareCreate(queries)
  const compress = createCompressionWriter(queries)
  const message = createMessageWriter(queries)

  const titleFor = (title: string | null | undefined): Pick<Created, 'title' | 'titled_by'> =>
    title ? { title: freeTitle(titles, title), titled_by: 'person' } : { title: null, titled_by: null }

  const createSession = (rows: TurnRows, counted: Counted): number | undefined => {
    const made = rows.session.create
    if (!made) return undefined
    try {
      return create.get({
        id: rows.session.id,
        at: rows.at,
        key: made.key ?? null,
        source: made.source,
        provider: made.provider,
        model: made.model,
        system: texts(made.system),
        tools: texts(made.tools),
        parent: made.parent ?? null,
        workspace: made.workspace ?? null,
        owner: made.owner ?? null,
        ...titleFor(made.title),
        ...counted,
      })?.seq
    } catch (error) {
      if (sqliteCode(error) === 'SQLITE_CONSTRAINT_UNIQUE' && made.key)
        throw fail('SESSION_WAITING', { session: made.key }, { cause: error })
      throw error
    }
  }

  return (rows) => {
    const { usage, calls, at } = rows
    const counted: Counted = {
      messages: rows.messages.length,
      input: usage.input,
      output: usage.output,
      cache_read: usage.cacheRead,
      cache_write: usage.cacheWrite,
      reasoning: usage.reasoning,
      calls,
      context: rows.context ?? null,
    }
    const session = createSession(rows, counted) ?? add.get({ id: rows.session.id, at, ...counted })?.seq
    if (session === undefined) throw fail('SESSION_NOT_FOUND', { session: rows.session.id })
    for (const item of rows.messages) {
      message(session, item, at)
    }
    for (const compression of rows.compressions ?? []) compress(session, compression, at)
  }
}

function prepareAdd(queries: Queries) {
  return queries.prepare((tables, args: Counted & { id: string; at: number }) =>
    tables
      .updateTable('sessions')
      .set((eb) => ({
        messages: eb('messages', '+', args.messages),
        input: eb('input', '+', args.input),
        output: eb('output', '+', args.output),
        cache_read: eb('cache_read', '+', args.cache_read),
        cache_write: eb('cache_write', '+', args.cache_write),
        reasoning: eb('reasoning', '+', args.reasoning),
        calls: eb('calls', '+', args.calls),
        context: sql<number | null>`coalesce(${args.context}, context)`,
        last_at: sql<number>`max(last_at, ${args.at})`,
        // A session that goes on has not ended; one that gave up its key stays apart from who has it now.
        ended_at: sql<number | null>`iif(key IS NULL, NULL, ended_at)`,
        end_reason: sql<string | null>`iif(key IS NULL, NULL, end_reason)`,
      }))
      .where('id', '=', args.id)
      .returning('seq'),
  )
}

type Created = Counted & {
  readonly id: string
  readonly key: string | null
  readonly source: string
  readonly title: string | null
  readonly titled_by: 'person' | null
  readonly provider: string
  readonly model: string
  readonly system: number
  readonly tools: number
  readonly parent: string | null
  readonly workspace: string | null
  readonly owner: string | null
  readonly at: number
}

function prepareCreate(queries: Queries) {
  return queries.prepare((tables, args: Created) =>
    tables
      .insertInto('sessions')
      .values({
        id: args.id,
        key: args.key,
        source: args.source,
        title: args.title,
        titled_by: args.titled_by,
        provider: args.provider,
        model: args.model,
        system: args.system,
        tools: args.tools,
        parent: args.parent,
        workspace: args.workspace,
        owner: args.owner,
        started_at: args.at,
        last_at: args.at,
        ended_at: null,
        end_reason: null,
        messages: args.messages,
        input: args.input,
        output: args.output,
        cache_read: args.cache_read,
        cache_write: args.cache_write,
        reasoning: args.reasoning,
        calls: args.calls,
        context: args.context,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('seq'),
  )
}
