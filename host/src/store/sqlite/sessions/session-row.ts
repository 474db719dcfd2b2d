import { sql } from 'kysely'
import type { Session } from '../../sessions.ts'
import type { SessionTable } from '../engine/tables.ts'

/** A session row as it is read. */
export type SessionRow = Omit<SessionTable, 'seq' | 'system' | 'tools' | 'context'> & {
  readonly seq: number
  readonly context: number | null
  readonly system: string
  readonly tools: string
}

/** The beginning of what was said first. */
export const preview = sql<
  string | null
>`(SELECT substr(text, 1, 120) FROM messages WHERE session = sessions.seq AND role = 'user' ORDER BY seq LIMIT 1)`.as('preview')

/** Every column of a session without its prefix. */
export const summaryColumns = [
  'seq',
  'id',
  'key',
  'source',
  'title',
  'titled_by',
  'provider',
  'model',
  'parent',
  'started_at',
  'last_at',
  'ended_at',
  'end_reason',
  'messages',
  'input',
  'output',
  'cache_read',
  'cache_write',
  'reasoning',
  'calls',
  'workspace',
  'context',
  'owner',
] as const

export function toSummary(row: Omit<SessionRow, 'system' | 'tools'>): Omit<Session, 'system' | 'tools'> {
  return {
    id: row.id,
    key: row.key,
    source: row.source,
    title: row.title,
    titledBy: row.titled_by,
    provider: row.provider,
    model: row.model,
    parent: row.parent,
    startedAt: row.started_at,
    lastAt: row.last_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    messages: row.messages,
    usage: {
      input: row.input,
      output: row.output,
      cacheRead: row.cache_read,
      cacheWrite: row.cache_write,
      reasoning: row.reasoning,
    },
    calls: row.calls,
    workspace: row.workspace,
    context: row.context,
    owner: row.owner,
  }
}

export function toSession(row: SessionRow): Session {
  return { system: row.system, tools: row.tools, ...toSummary(row) }
}

/** The stored texts of a session's prefix. */
export const prefixColumns = [
  sql<string>`(SELECT text FROM texts WHERE texts.id = sessions.system)`.as('system'),
  sql<string>`(SELECT text FROM texts WHERE texts.id = sessions.tools)`.as('tools'),
] as const
