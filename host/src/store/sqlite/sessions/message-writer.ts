import type { ModelMessage } from '@agent/plugin-sdk'
import type { Queries } from '../engine/statement.ts'
import { formatParts, searchableText } from './message-rows.ts'

/** Adds a message to the session of a row inside the caller's transaction. */
export type MessageWriter = (session: number, message: ModelMessage, at: number) => void

export function createMessageWriter(queries: Queries): MessageWriter {
  const add = queries.prepare((tables, args: { session: number; role: string; parts: string; text: string; at: number }) =>
    tables.insertInto('messages').values({
      session: args.session,
      role: args.role as 'user',
      parts: args.parts,
      text: args.text,
      at: args.at,
    }),
  )
  return (session, message, at) => {
    add.run({ session, role: message.role, parts: formatParts(message), text: searchableText(message), at })
  }
}
