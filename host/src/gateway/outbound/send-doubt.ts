import type { Call, Clock, CompleteConnection, Log, PlatformManifest, Receipt } from '@agent/plugin-sdk'
import { callWithin } from '#kernel/calls/call.ts'
import type { ClaimedSend } from '#store/journal.ts'

/** What is known about a send that may have arrived. `gone`: it certainly did not. `notNow`: the platform could not be asked. */
export type Fate = Receipt | { readonly status: 'gone' | 'notNow' }

export interface DoubtOptions {
  readonly spec: PlatformManifest
  readonly connection: CompleteConnection
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** What a conversation is told where nobody can tell whether something arrived there. */
export const missingMark = '(A message of mine may be missing here: nobody can tell whether it arrived. If it is, ask me for it again.)'

const askMs = 30_000

/** Whether it can be found out what became of a send, or a repetition of it does no harm. */
export function isJudged({ capabilities }: PlatformManifest, { edits }: Pick<ClaimedSend, 'edits'>): boolean {
  return capabilities.idempotentSend || capabilities.findSent || edits !== undefined
}

/** What the platform says about a send whose receipt was lost, on the connection that it has now; only where it can be asked. */
export async function askForSent({ spec, connection, clock, log, signal }: DoubtOptions, send: ClaimedSend): Promise<Fate> {
  const { key, account, conversation } = send.message
  const lost = { key, account, conversation, firstTriedAt: send.firstTriedAt }
  const ask = (call: Call): Promise<Receipt | null> => connection.findSent(lost, call)
  try {
    return (await callWithin({ clock, signal, deadline: askMs, what: 'Asking' }, ask)) ?? { status: 'gone' }
  } catch (error) {
    log.warn('a platform could not be asked about a lost receipt', { platform: spec.id, error: String(error) })
    return { status: 'notNow' }
  }
}
