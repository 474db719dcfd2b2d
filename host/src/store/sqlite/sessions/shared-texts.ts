import { createHash } from 'node:crypto'
import type { Queries } from '../engine/statement.ts'

/** Stores a text once, however many sessions have it; answers with its row. Runs inside the caller's transaction. */
export type SharedTexts = (text: string) => number

export function createSharedTexts(queries: Queries): SharedTexts {
  const find = queries.prepare((tables, args: { hash: string }) => tables.selectFrom('texts').select('id').where('hash', '=', args.hash))
  const add = queries.prepare((tables, args: { hash: string; text: string }) =>
    tables.insertInto('texts').values({ hash: args.hash, text: args.text }).returning('id'),
  )
  // A handful of prefixes is in use at a time; hashing them again for each session would cost more than storing the turn.
  const hashes = new Map<string, string>()
  const hashOf = (text: string): string => {
    const known = hashes.get(text)
    if (known) return known
    const hash = createHash('sha256').update(text).digest('base64url')
    if (hashes.size >= 16) hashes.clear()
    hashes.set(text, hash)
    return hash
  }
  return (text) => {
    const hash = hashOf(text)
    const row = find.get({ hash }) ?? add.get({ hash, text })
    if (!row) throw new Error('A text could not be stored.')
    return row.id
  }
}
