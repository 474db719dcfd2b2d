import type { Clock, Log } from '@agent/plugin-sdk'
import type { Loaded } from '#config/file/loaded.ts'
import type { Config } from '#config/schema/schema.ts'
import type { Sessions } from '#store/sessions.ts'

export type ResetPolicy = Config['session_reset']

const minute = 60_000

/** Why a session that was last used at `lastAt` is over, if it is. Days begin at `at_hour` by the machine's clock on the wall. */
export function findResetReason(policy: ResetPolicy, lastAt: number, now: number): 'idle' | 'daily' | undefined {
  const { mode, at_hour: hour, idle_minutes: minutes } = policy
  if ((mode === 'idle' || mode === 'both') && minutes > 0 && now - lastAt >= minutes * minute) return 'idle'
  if ((mode === 'daily' || mode === 'both') && lastAt < lastBorder(hour, now)) return 'daily'
  return undefined
}

/** The last time it was `hour` o'clock. A clock that jumps over the hour makes the border at the first moment after it. */
function lastBorder(hour: number, now: number): number {
  const border = new Date(now)
  border.setHours(hour, 0, 0, 0)
  // By the calendar, not by 24 hours: some days have 23 or 25.
  if (border.getTime() > now) border.setDate(border.getDate() - 1)
  return border.getTime()
}

export interface SessionResetOptions {
  readonly sessions: Pick<Sessions, 'byKey' | 'end'>
  /** Read at each message: a reload changes the policy. */
  readonly loaded: { readonly config: Pick<Loaded['config'], 'session_reset'> }
  readonly clock: Clock
  readonly log: Log
}

/** Ends the session of a key when the policy says so; the next turn with that key begins a new one. */
export function createSessionReset({ sessions, loaded, clock, log }: SessionResetOptions): (key: string) => Promise<void> {
  return async (key) => {
    const policy = loaded.config.session_reset
    if (policy.mode === 'none') return
    const session = await sessions.byKey(key)
    const reason = session && findResetReason(policy, session.lastAt, clock.now())
    if (!reason) return
    await sessions.end(session.id, reason)
    log.info('a session has ended by the reset policy', { session: session.id, reason })
  }
}
