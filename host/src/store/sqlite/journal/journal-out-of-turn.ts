import { fail } from '@agent/plugin-sdk/errors'
import type { AnswerPart, Claim, ConversationRef, Journal, WaitingMessage } from '../../journal.ts'
import { addParts } from './journal-parts.ts'
import { readBody, toClaim } from './journal-rows.ts'
import { fence, type JournalTools, placeOf, requireHeld, requireOne, sessionPlatform } from './journal-tools.ts'

type OutOfTurnVerbs = Pick<Journal, 'claimOutOfTurn' | 'putOutOfTurn' | 'waiting' | 'absorb' | 'say'>

/** The verbs for messages that do not wait for their turn. */
export function createOutOfTurnVerbs(tools: JournalTools): OutOfTurnVerbs {
  const { commits, notifier } = tools
  return {
    claimOutOfTurn: (owner, seq) => commits.run(() => claimOutOfTurn(tools, owner, seq)),
    async putOutOfTurn(claim) {
      await commits.run(() => putOutOfTurn(tools, claim))
      notifier.notify('inbox')
    },
    waiting: async (claim, limit) => waiting(tools, claim, limit),
    async say(claim, parts) {
      await commits.run(() => say(tools, claim, parts))
      notifier.notify('outbox')
    },
    absorb: (claim, seqs) => commits.run(() => absorb(tools, claim, seqs)),
  }
}

function claimOutOfTurn({ inbox }: JournalTools, owner: string, seq: number): Claim | null {
  const row = inbox.claimOutOfTurn.get({ owner, seq })
  return row ? toClaim(row, row.attempts === 1 ? [] : inbox.steps.all({ inbox: row.seq }), undefined) : null
}

function putOutOfTurn({ inbox }: JournalTools, claim: Claim): void {
  const isOutOfTurn = inbox.isHeld.get(fence(claim))?.aside === 1
  requireOne(inbox.putOutOfTurn.run(fence(claim)), claim)
  if (!isOutOfTurn) inbox.promote.run(placeOf(claim.platform, claim.message))
}

function waiting({ inbox }: JournalTools, claim: Claim, limit: number): readonly WaitingMessage[] {
  const rows = inbox.waiting.all({ limit, ...placeOf(claim.platform, claim.message) })
  return rows.map((row) => ({ seq: row.seq, ...readBody(row.body), receivedAt: row.received_at }))
}

function absorb({ inbox }: JournalTools, claim: Claim, seqs: readonly number[]): readonly number[] {
  const held = inbox.isHeld.get(fence(claim))
  if (!held || held.aside === 1) throw fail('CLAIM_LOST', { what: `Message ${claim.seq}` })
  const row = { ...placeOf(claim.platform, claim.message), owner: claim.owner, by: claim.seq }
  return seqs.filter((seq) => inbox.absorb.run({ ...row, seq }) === 1)
}

function say({ inbox, outbox, keyOf }: JournalTools, claim: Claim, parts: readonly AnswerPart[]): void {
  requireHeld(inbox, claim)
  let said = 0
  // What an attempt before this one has said keeps its keys.
  while (outbox.byKey.get({ key: keyOf(claim.seq, `say${said}`) })) said++
  const place = placeOf(claim.platform, claim.message)
  addParts(outbox, { place, parts, inbox: claim.seq, keyOf: (index) => keyOf(claim.seq, `say${said + index}`) })
}

/** Gives a message back, and those that share its answer. */
export function release(tools: JournalTools, held: Claim): void {
  requireHeld(tools.inbox, held)
  tools.inbox.releaseAbsorbed.run({ by: held.seq })
  const row = tools.inbox.release.get(fence(held))
  if (row?.head === 0) promoteIfNone(tools, placeOf(held.platform, held.message))
}

/** What was out of its turn comes back into a conversation that may have no head meanwhile. */
export function promoteIfNone({ inbox }: JournalTools, place: ConversationRef): void {
  // No gateway takes what a session hears with its next turn.
  if (place.platform !== sessionPlatform && !inbox.hasHead.get(place)) inbox.promote.run(place)
}
