import type { Usage } from '@agent/plugin-sdk'

/** For whom and what a model is asked. */
export interface Payer {
  /** The door that it came through: `cli`, `oneshot` or the id of a platform. */
  readonly source: string
  /** Who was answered, by the platform's id; empty where nobody is known. */
  readonly person: string
  /** Id of the job whose run it belongs to; absent: none. */
  readonly job?: string | undefined
}

/** What one model took for one conversation. */
export interface Spent extends Payer {
  /** Id of the session; empty for a caller that keeps the conversation itself. */
  readonly session: string
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  /** How many model calls. */
  readonly calls: number
  /** How many of them broke off, so that what they took is estimated; absent: none. */
  readonly estimated?: number | undefined
}

/** The conversation that a call works for, and the job whose run that is. */
export type Beneficiary = Pick<Spent, 'session' | 'job'>

/** The same of one day, `YYYY-MM-DD` where this machine is. */
export interface SpentOnDay extends Spent {
  readonly day: string
}

/** What a call is thought to take. */
export interface Reservation extends Payer {
  readonly provider: string
  readonly model: string
  readonly input: number
  readonly output: number
}

/** What counts: from a day on, through one door or all, for one person or all, by one job or whatever asked. */
export interface UsageWindow {
  readonly day: string
  readonly source?: string | undefined
  readonly person?: string | undefined
  readonly job?: string | undefined
}

/** What a model took on a day, calls that run now among it. */
export type Taken = Pick<SpentOnDay, 'day' | 'provider' | 'model' | 'usage'>

/** What model calls took, by day, conversation and model. It stays when a conversation is deleted. */
export interface UsageLedger {
  /** Writes down what was spent, in the place of what was reserved for it. */
  add(spent: readonly Spent[], reservations?: readonly number[]): Promise<void>
  /** Reserves for a call, and says what was taken and reserved before it in each window, in one transaction with all processes of the home. */
  reserve(
    call: Reservation,
    windows: readonly UsageWindow[],
  ): Promise<{ readonly id: number; readonly taken: readonly (readonly Taken[])[] }>
  release(reservation: number): Promise<void>
  /** All from a day on, oldest first. */
  since(day: string): Promise<readonly SpentOnDay[]>
}

/** The day of a moment, `YYYY-MM-DD` where this machine is. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
  }
}
