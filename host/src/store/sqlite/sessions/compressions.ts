import type { ModelMessage } from '@agent/plugin-sdk'
import { sql } from 'kysely'
import type { Compression } from '../../sessions.ts'
import type { Queries } from '../engine/statement.ts'
import type { CompressionTable } from '../engine/tables.ts'
import { formatWire, parseWire } from '../engine/wire-json.ts'

/** Writes a compression inside the caller's transaction, unless it stands for messages that the session does not have. */
export type CompressionWriter = (session: number, compression: Compression, at: number) => void

export function createCompressionWriter(queries: Queries): CompressionWriter {
  const add = queries.prepare(
    (tables, args: { session: number; up_to: number; messages: string; reason: string; before: number; after: number; at: number }) =>
      tables.insertInto('compressions').values({
        session: args.session,
        up_to: args.up_to,
        messages: args.messages,
        reason: args.reason as 'asked',
        tokens_before: args.before,
        tokens_after: args.after,
        at: args.at,
      }),
  )
  const count = queries.prepare((tables, args: { session: number }) =>
    tables.selectFrom('sessions').select('messages').where('seq', '=', args.session),
  )
  return (session, { upTo, messages, reason, tokensBefore: before, tokensAfter: after }, at) => {
    if (upTo > (count.get({ session })?.messages ?? 0)) return
    add.run({ session, up_to: upTo, messages: formatWire(messages as never), reason, before, after, at })
  }
}

/** The compression of a row. The writer wrote it, so that its shape is known. */
export function parseCompression(
  row: Pick<CompressionTable, 'up_to' | 'messages' | 'reason' | 'tokens_before' | 'tokens_after'>,
): Compression {
  return {
    upTo: row.up_to,
    messages: parseWire(row.messages) as unknown as readonly ModelMessage[],
    reason: row.reason,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
  }
}

export interface CompressionReader {
  /** The newest, which stands for the most messages. */
  newest(id: string): { readonly upTo: number; readonly messages: readonly ModelMessage[] } | undefined
  count(id: string): number
  /** Forgets those that stand for more messages than these; answers nothing. */
  forget(id: string, messages: number): void
}

export function createCompressionReader(queries: Queries): CompressionReader {
  const newest = queries.prepare((tables, args: { id: string }) =>
    tables
      .selectFrom('compressions')
      .select(['up_to', 'messages'])
      .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id))
      .orderBy('up_to', 'desc')
      .orderBy('seq', 'desc')
      .limit(sql.lit(1)),
  )
  const count = queries.prepare((tables, args: { id: string }) =>
    tables
      .selectFrom('compressions')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id)),
  )
  const forget = queries.prepare((tables, args: { id: string; messages: number }) =>
    tables
      .deleteFrom('compressions')
      .where('session', '=', tables.selectFrom('sessions').select('seq').where('id', '=', args.id))
      .where('up_to', '>', args.messages),
  )
  return {
    newest: (id) => {
      const row = newest.get({ id })
      // `compressions.ts` wrote it, so that its shape is known.
      return row && { upTo: row.up_to, messages: parseWire(row.messages) as unknown as readonly ModelMessage[] }
    },
    count: (id) => count.get({ id })?.count ?? 0,
    forget: (id, messages) => void forget.run({ id, messages }),
  }
}
