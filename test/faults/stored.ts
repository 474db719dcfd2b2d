import { existsSync } from 'node:fs'
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
  readonly text: string
  /** How often it was handed to the platform, or asked about. */
  readonly attempts: number
}

/** A message that somebody works on, or that died with whom it belonged to. */
export interface ClaimedMessage {
  readonly platform: string
  readonly id: string
  readonly owner: string
  readonly attempts: number
}

/** Everything that the journal knows about a platform, in the order of acceptance. */
export function readStored(home: TestHome, platform: string): readonly StoredMessage[] {
  using database = openReader(home)
  const messages = database.all<{ seq: number; id: string; conversation: string; body: string; state: string }>(
    'SELECT seq, message_id AS id, conversation, body, state FROM inbox WHERE platform = ? ORDER BY seq',
    platform,
  )
  const parts = database.all<StoredPart & { inbox: number }>(
    "SELECT inbox, part, state, text, attempts FROM outbox WHERE platform = ? AND kind = 'part' ORDER BY seq",
    platform,
  )
  return messages.map(({ seq, body, ...message }) => ({
    ...message,
    text: textOf(body),
    parts: parts.filter(({ inbox }) => inbox === seq),
  }))
}

/** What was said; of a child agent that works behind an answer, its task. */
function textOf(body: string): string {
  const { text, child } = JSON.parse(body) as { text: string; child?: { goal: string } }
  return child?.goal ?? text
}

export function readClaimed(home: TestHome): readonly ClaimedMessage[] {
  // A gateway that is killed early has made no store, or an empty one.
  if (!existsSync(fileOf(home))) return []
  using database = openReader(home)
  if (database.all("SELECT 1 FROM sqlite_master WHERE name = 'inbox'").length === 0) return []
  return database.all<ClaimedMessage>("SELECT platform, message_id AS id, owner, attempts FROM inbox WHERE state = 'claimed'")
}

/** How much is not settled; what is claimed by nobody alive counts too. */
export function countOpen(home: TestHome): number {
  using database = openReader(home)
  const [row] = database.all<{ open: number }>(
    `SELECT (SELECT count(*) FROM inbox WHERE state IN ('accepted', 'claimed')) + (SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')) AS open`,
  )
  return row?.open ?? 0
}

/** The stored child agents with what they were asked, and how they ended; null: they have not. */
export function readChildEnds(home: TestHome): readonly { readonly goal: string; readonly reason: string | null }[] {
  using database = openReader(home)
  return database.all(
    `SELECT end_reason AS reason, (SELECT text FROM messages WHERE session = sessions.seq AND role = 'user' ORDER BY seq LIMIT 1) AS goal
      FROM sessions WHERE source = 'subagent'`,
  )
}

const fileOf = (home: TestHome): string => join(home.home, 'state.db')

/** How much is settled; grows with everything that is done. */
export function countSettled(home: TestHome): number {
  using database = openReader(home)
  const [row] = database.all<{ settled: number }>(
    'SELECT (SELECT count(settled_at) FROM inbox) + (SELECT count(settled_at) FROM outbox) AS settled',
  )
  return row?.settled ?? 0
}

/** Who holds a lease under its own name, and until when. */
export function readLeases(home: TestHome): readonly { readonly owner: string; readonly expires: number }[] {
  using database = openReader(home)
  return database.all('SELECT owner, expires_at AS expires FROM leases WHERE name = owner')
}

/** Whether a process is in the middle of a commit. */
export function isLocked(home: TestHome): boolean {
  const database = new Database(fileOf(home), { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return true
    throw error
  } finally {
    database.close()
  }
}

interface Reader extends Disposable {
  all<Row>(query: string, ...values: readonly string[]): Row[]
}

function openReader(home: TestHome): Reader {
  const database = new Database(fileOf(home), { readonly: true, timeout: 5_000 })
  return {
    all: <Row>(query: string, ...values: readonly string[]) => database.prepare(query).all(...values) as Row[],
    [Symbol.dispose]: () => void database.close(),
  }
}
