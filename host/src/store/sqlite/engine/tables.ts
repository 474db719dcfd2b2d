import type { Generated } from 'kysely'
import type { JobRunTable, JobTable } from './job-tables.ts'

/** The tables as kysely sees them; `migrations.ts` makes them. */
export interface Tables {
  inbox: InboxTable
  outbox: OutboxTable
  steps: { inbox: number; n: number; body: string }
  texts: { id: Generated<number>; hash: string; text: string }
  sessions: SessionTable
  messages: MessageTable
  compressions: CompressionTable
  message_text: { rowid: number; text: string; message_text: string; rank: number }
  message_words: { term: string; doc: number; cnt: number }
  kv: { space: string; key: string; value: string }
  leases: { name: string; owner: string; expires_at: number }
  meta: { key: string; value: string }
  usage: UsageTable
  reservations: ReservationTable
  jobs: JobTable
  job_runs: JobRunTable
}

export interface UsageTable {
  day: string
  session: string
  source: string
  person: string
  /** Empty: no job. */
  job: string
  provider: string
  model: string
  calls: number
  input: number
  output: number
  cache_read: number
  cache_write: number
  reasoning: number
  /** Calls among them whose tokens are estimated. */
  estimated: number
}

export interface ReservationTable {
  id: Generated<number>
  day: string
  source: string
  person: string
  job: string
  provider: string
  model: string
  input: number
  output: number
}

export interface InboxTable {
  seq: Generated<number>
  platform: string
  account: string
  message_id: string
  conversation: string
  body: string
  state: 'accepted' | 'claimed' | 'answered' | 'dropped' | 'failed'
  /** 1 on the oldest open row of a conversation, so that finding work never scans what waits behind it. */
  head: number
  owner: string | null
  attempts: Generated<number>
  crashes: Generated<number>
  /** 1 on a row that is worked on out of its turn: it blocks nobody. */
  aside: Generated<number>
  /** The row whose answer this one shares. */
  absorbed_by: Generated<number | null>
  received_at: number
  settled_at: number | null
  /** Why there was no whole answer. */
  error: Generated<string | null>
}

export interface OutboxTable {
  seq: Generated<number>
  key: string
  inbox: number
  kind: 'part' | 'preview'
  part: number
  total: number
  platform: string
  account: string
  conversation: string
  text: string
  reply_to: string | null
  media: string | null
  buttons: string | null
  state: 'pending' | 'sending' | 'sent' | 'unknown' | 'failed'
  head: number
  owner: string | null
  attempts: Generated<number>
  next_at: Generated<number>
  platform_id: string | null
  error: string | null
  settled_at: number | null
  /** When the first attempt began that may have arrived. */
  tried_at: number | null
  doubt: 'ask' | 'insist' | null
}

export interface SessionTable {
  seq: Generated<number>
  id: string
  key: string | null
  source: string
  title: string | null
  titled_by: 'person' | 'model' | null
  provider: string
  model: string
  /** Rows of `texts`: many sessions have the same prefix. */
  system: number
  tools: number
  parent: string | null
  started_at: number
  last_at: number
  ended_at: number | null
  end_reason: string | null
  messages: number
  input: number
  output: number
  cache_read: number
  cache_write: number
  reasoning: number
  calls: number
  workspace: string | null
  /** Tokens of its last request and answer; null where nobody knows. */
  context: Generated<number | null>
  /** Whose memory and earlier sessions it may use; null where nobody knows. */
  owner: string | null
}

export interface CompressionTable {
  seq: Generated<number>
  session: number
  /** It stands for so many of the first messages. */
  up_to: number
  /** JSON of the messages that a model hears instead. */
  messages: string
  reason: 'threshold' | 'overflow' | 'asked'
  tokens_before: number
  tokens_after: number
  at: number
}

export interface MessageTable {
  seq: Generated<number>
  session: number
  role: 'user' | 'assistant' | 'tool'
  /** JSON of the parts, or of the results of a tool message. */
  parts: string
  /** What search finds. */
  text: string
  at: number
}
