import { fail } from '@agent/plugin-sdk/errors'
import type { Exported, Imported, Sessions } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import type { SessionTable } from '../engine/tables.ts'
import { createCompressionWriter } from './compressions.ts'
import { createMessageWriter } from './message-writer.ts'
import type { Removal } from './removal.ts'
import type { SessionLookup } from './session-lookup.ts'
import type { SessionParts } from './session-parts.ts'
import { keepTitle, prepareTitles } from './titles/title-lookup.ts'
import type { TurnWriter } from './turn-writer.ts'

interface ImportParts extends Pick<SessionParts, 'queries' | 'commits' | 'index' | 'writeTurn'> {
  readonly lookup: SessionLookup
  readonly removal: Removal
}

/** What writes a whole session that was exported. */
export function createImport({ queries, commits, index, writeTurn, lookup, removal }: ImportParts): Pick<Sessions, 'import'> {
  const write = createSessionWriter(queries, writeTurn)
  const findPlace = (id: string, replace: boolean): Imported['was'] => {
    if (!lookup.byId(id)) return 'free'
    if (!replace) return 'taken'
    removal.rows(id)
    return 'replaced'
  }
  const knownParent = ({ session: { parent } }: Exported): string | null => (parent !== null && lookup.byId(parent) ? parent : null)
  return {
    async import(exported, { otherId, replace = false }) {
      const done = await commits.run((): Imported => {
        const was = findPlace(exported.session.id, replace)
        const as = was === 'taken' ? otherId : exported.session.id
        write(exported, { as, parent: knownParent(exported) })
        if (was === 'replaced') removal.texts()
        const session = lookup.byId(as)
        if (!session) throw fail('SESSION_NOT_FOUND', { session: as })
        return { session, was }
      })
      index.note(exported.messages.length)
      return done
    },
  }
}

/** Writes the rows of a session inside the caller's transaction. */
function createSessionWriter(
  queries: Queries,
  writeTurn: TurnWriter,
): (exported: Exported, place: { readonly as: string; readonly parent: string | null }) => void {
  const titles = prepareTitles(queries)
  const finish = prepareFinish(queries)
  const message = createMessageWriter(queries)
  const compress = createCompressionWriter(queries)
  return ({ session, messages, compressions }, { as, parent }) => {
    const { usage, calls, startedAt, context, endedAt, endReason, title } = session
    const create = { ...session, key: null, title: null, parent }
    writeTurn({ session: { id: as, create }, messages: [], usage, calls, at: startedAt, ...(context === null ? {} : { context }) })
    const row = finish.get({
      ...{ id: as, messages: messages.length, last_at: session.lastAt, ended_at: endedAt, end_reason: endReason },
      ...(title === null ? { title, titled_by: null } : { title: keepTitle(titles, title), titled_by: session.titledBy ?? 'person' }),
    })
    if (!row) throw new Error('A session could not be written.')
    for (const each of messages) message(row.seq, each.message, each.at)
    for (const each of compressions) compress(row.seq, each.compression, each.at)
  }
}

type Finish = { readonly id: string } & Pick<SessionTable, 'messages' | 'last_at' | 'ended_at' | 'end_reason' | 'title' | 'titled_by'>

/** What no first turn writes. */
function prepareFinish(queries: Queries) {
  return queries.prepare((tables, args: Finish) =>
    tables
      .updateTable('sessions')
      .set({
        messages: args.messages,
        last_at: args.last_at,
        ended_at: args.ended_at,
        end_reason: args.end_reason,
        title: args.title,
        titled_by: args.titled_by,
      })
      .where('id', '=', args.id)
      .returning('seq'),
  )
}
