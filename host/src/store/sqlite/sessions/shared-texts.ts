import { createHash } from 'node:crypto'
import type { Queries } from '../engine/statement.ts'

/** A handful of prefixes is in use at a time. */
const mostKnown = 16

/** Stores a text once, however many sessions have it; answers with its row. Runs inside the caller's transaction. */
export type SharedTexts = (text: string) => number

export function createSharedTexts(queries: Queries): SharedTexts {
  const find = queries.prepare((tables, args: { hash: string }) => tables.selectFrom('texts').select('id').where('hash', '=', args.hash))
  const add = queries.prepare((tables, args: { hash: string; text: string }) =>
    tables.insertInto('texts').values({ hash: args.hash, text: args.text }).returning('id'),
  )
  // To hash them again for each session would cost more than to store the turn.
  const hashes = new Map<string, string>()
  const hashOf = (text: string): string => {
    const known = hashes.get(text)
    if (known) return known
    const hash = createHash('sha256').update(text).digest('base64url')
    if (hashes.size >= mostKnown) hashes.clear()
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

/**
 * Reads a text by its hash. The prefix of a session is 10 to 20 kB, the same for most, and read at each message; so the latest are kept. What is kept
 * under the hash of its content cannot become wrong.
 */
export function createTextReader(queries: Queries): (hash: string) => string | undefined {
  const find = queries.prepare((tables, args: { hash: string }) => tables.selectFrom('texts').select('text').where('hash', '=', args.hash))
  const known = new Map<string, string>()
  return (hash) => {
    const text = known.get(hash) ?? find.get({ hash })?.text
    if (text === undefined || known.has(hash)) return text
    if (known.size >= mostKnown) known.clear()
    known.set(hash, text)
    return text
  }
}
