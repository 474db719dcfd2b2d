import type { InboundMessage, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Claim, ClaimScope } from '../../journal.ts'
import type { GroupCommit } from '../engine/group-commit.ts'
import type { Queries } from '../engine/statement.ts'
import type { TextIndex } from '../sessions/text-index.ts'
import type { TurnWriter } from '../sessions/turn-writer.ts'
import type { prepareInbox } from './inbox.ts'
import type { prepareOutbox } from './outbox.ts'
import type { createWorkNotifier } from './work-notifier.ts'

export interface JournalParts {
  readonly queries: Queries
  readonly commits: GroupCommit
  readonly writeTurn: TurnWriter
  readonly index: TextIndex
  readonly now: () => number
  /** For waits: never goes back. */
  readonly steadyNow: () => number
  readonly log: Log
  /** Part of every idempotency key: sequence numbers begin again with a new file. */
  readonly storeId: string
  /** Who holds a lease under its own name. */
  readonly liveOwners: () => ReadonlySet<string>
}

/** What the files of the journal share. */
export interface JournalTools extends JournalParts {
  readonly inbox: ReturnType<typeof prepareInbox>
  readonly outbox: ReturnType<typeof prepareOutbox>
  readonly notifier: ReturnType<typeof createWorkNotifier>
  readonly keyOf: (inbox: number, part: number | 'preview' | `say${number}`) => string
}

/** Where rows of sessions stand that no platform leads; none has such a name. */
export const sessionPlatform = ':session'

export function placeOf(platform: string, message: InboundMessage): { platform: string; account: string; conversation: string } {
  return { platform, account: message.account, conversation: message.conversation.id }
}

export function scopeOf(where: ClaimScope | undefined): { platform: string; account: string; conversation: string } {
  return { platform: where?.platform ?? '', account: where?.account ?? '', conversation: where?.conversation ?? '' }
}

/** The statement for a scope. */
export function pick<Claiming>(
  from: { readonly claim: Claiming; readonly claimOnPlatform: Claiming; readonly claimInConversation: Claiming },
  where: ClaimScope | undefined,
): Claiming {
  if (!where) return from.claim
  return where.conversation === undefined ? from.claimOnPlatform : from.claimInConversation
}

export function fence(held: { seq: number; owner: string; attempts: number }): { seq: number; owner: string; attempts: number } {
  return { seq: held.seq, owner: held.owner, attempts: held.attempts }
}

export function requireHeld(inbox: JournalTools['inbox'], held: Claim): void {
  if (!inbox.isHeld.get(fence(held))) requireOne(0, held)
}

export function requireOne(changes: number, held: Claim): void {
  if (changes !== 1) throw fail('CLAIM_LOST', { what: `Message ${held.seq}` })
}
