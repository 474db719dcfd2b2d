import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { TestHome } from '../support/test-home.ts'

/** One accepted message as the journal holds it, with what was to be sent for it. */
export interface StoredMessage {
  readonly id: string
  readonly conversation: string
  readonly text: string
  readonly state: string
  readonly parts: readonly StoredPart[]
}

export interface StoredPart {
  readonly part: number
  readonly state: string
}

/** Everything that the journal knows about a platform, in the order of acceptance. */
export function readStored(home: TestHome, platform: string): readonly StoredMessage[] {
  using database = openReader(home)
  const messages = database.all<{ seq: number; id: string; conversation: string; body: string; state: string }>(
    'SELECT seq, message_id AS id, conversation, body, state FROM inbox WHERE platform = ? ORDER BY seq',
    platform,
  )
  const parts = database.all<StoredPart & { inbox: number }>(
    "SELECT inbox, part, state FROM outbox WHERE platform = ? AND kind = 'part' ORDER BY seq",
    platform,
  )
  return messages.map(({ seq, body, ...message }) => ({
    ...message,
    text: (JSON.parse(body) as { text: string }).text,
    parts: parts.filter(({ inbox }) => inbox === seq),
  }))
}

/** How much is not settled; what is claimed by nobody alive counts too. */
export function countOpen(home: TestHome): number {
  using database = openReader(home)
  const [row] = database.all<{ open: number }>(
    `SELECT (SELECT count(*) FROM inbox WHERE state IN ('accepted', 'claimed')) + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')) AS open`,
  )
  return row?.open ?? 0
}

interface Reader extends Disposable {
  all<Row>(query: string, ...values: readonly string[]): Row[]
}

function openReader(home: TestHome): Reader {
  const database = new Database(join(home.home, 'state.db'), { readonly: true, timeout: 5_000 })
  return {
    all: <Row>(query: string, ...values: readonly string[]) => database.prepare(query).all(...values) as Row[],
    [Symbol.dispose]: () => void database.close(),
  }
}
