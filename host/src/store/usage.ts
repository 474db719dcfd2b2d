import type { Usage } from '@agent/plugin-sdk'

/** What one model took for one conversation. */
export interface Spent {
  /** Id of the session; empty for a caller that keeps the conversation itself. */
  readonly session: string
  /** The door that it came through: `cli`, `oneshot` or the id of a platform. */
  readonly source: string
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  /** How many model calls. */
  readonly calls: number
}

/** The same of one day, `YYYY-MM-DD` where this machine is. */
export interface SpentOnDay extends Spent {
  readonly day: string
}

/** What model calls took, by day, conversation and model. It stays when a conversation is deleted. */
export interface UsageLedger {
  add(spent: readonly Spent[]): Promise<void>
  /** Tokens in and out from a day on, of one door or of all. */
  total(day: string, source?: string): Promise<number>
  /** All from a day on, oldest first. */
  since(day: string): Promise<readonly SpentOnDay[]>
}

/** The day of a moment, `YYYY-MM-DD` where this machine is. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
