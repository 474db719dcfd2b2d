import type { InboundMessage } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { AcceptResult, Claim, ClaimScope, ConversationRef, Failure, Journal, JournalAnswer, Step } from '../../journal.ts'
import { isTransient } from '../engine/storage-error.ts'
import { prepareInbox } from './inbox.ts'
import { createChildVerbs } from './journal-children.ts'
import { createOutOfTurnVerbs, release } from './journal-out-of-turn.ts'
import { addParts } from './journal-parts.ts'
import { recoverClaims } from './journal-recovery.ts'
import { formatStep, toClaim, toFailedSend, toFailedTurn } from './journal-rows.ts'
import { createSends } from './journal-sends.ts'
import {
  fence,
  type JournalParts,
  type JournalTools,
  pick,
  placeOf,
  requireHeld,
  requireOne,
  scopeOf,
  sessionPlatform,
} from './journal-tools.ts'
import { prepareOutbox } from './outbox.ts'
import { createWorkNotifier } from './work-notifier.ts'

export function createJournal(parts: JournalParts): Journal {
  const tools: JournalTools = {
    ...parts,
    inbox: prepareInbox(parts.queries),
    outbox: prepareOutbox(parts.queries),
    notifier: createWorkNotifier(parts.log),
    keyOf: (inbox, part) => `in:${parts.storeId}:${inbox}:${part}`,
  }
  return {
    accept: (platform, message) => accept(tools, platform, message),
    claim: (owner, where) => parts.commits.run(() => claim(tools, owner, where)),
    recordStep: (held, step) => parts.commits.run(() => recordStep(tools, held, step)),
    async release(held) {
      await parts.commits.run(() => release(tools, held))
      tools.notifier.notify('inbox')
    },
    async answer(held, given) {
      await parts.commits.run(() => answer(tools, held, given))
      if (given.turn) tools.index.note(given.turn.messages.length)
      tools.notifier.notify('inbox')
      if (given.outbound.length > 0) tools.notifier.notify('outbox')
    },
    async recover(owner, options) {
      const recovery = await parts.commits.run(() => recoverClaims(tools, owner, options?.alone ?? false))
      if (recovery.messages > 0) tools.notifier.notify('inbox')
      return recovery
    },
    ...createSends(tools),
    ...createOutOfTurnVerbs(tools),
    ...createChildVerbs(tools),
    failures: async (limit) => listFailures(tools, limit),
    pending: async () => countPending(tools),
    prune: (before) => prune(tools, before),
    onWork: (listener) => tools.notifier.listen(listener),
  }
}

async function accept(
  { commits, inbox, now, log, notifier }: JournalTools,
  platform: string,
  message: InboundMessage,
): Promise<AcceptResult> {
  // Only the journal itself says that a row stands for a child agent.
  const row = { message: message.id, body: JSON.stringify({ ...message, child: undefined }), at: now(), ...placeOf(platform, message) }
  try {
    const seq = await commits.run(() => inbox.accept.get(row)?.seq)
    if (seq === undefined) return { status: 'duplicate' }
    notifier.notify('inbox')
    return { status: 'accepted', seq }
  } catch (error) {
    if (!isTransient(error)) throw error
    log.error('A message was not accepted.', { platform, error: detailOf(error) })
    return { status: 'busy', retryAfterMs: error.retryAfterMs ?? 5_000 }
  }
}

function claim({ inbox, outbox, keyOf }: JournalTools, owner: string, where: ClaimScope | undefined): Claim | null {
  const args = { owner, ...scopeOf(where) }
  const row = pick(inbox, where).get(args)
  if (!row) return null
  // Only an attempt before this one can have left something.
  if (row.attempts === 1) return toClaim(row, [], undefined)
  const preview = outbox.byKey.get({ key: keyOf(row.seq, 'preview') })
  return toClaim(row, inbox.steps.all({ inbox: row.seq }), preview && { platformId: preview.platform_id })
}

function recordStep({ inbox }: JournalTools, held: Claim, step: Step): void {
  requireHeld(inbox, held)
  inbox.addStep.run({ inbox: held.seq, body: formatStep(step) })
}

function answer({ inbox, outbox, keyOf, now, writeTurn }: JournalTools, held: Claim, given: JournalAnswer): void {
  const place = placeOf(held.platform, held.message)
  const settled = { state: given.state ?? 'answered', at: now() }
  const isOutOfTurn = inbox.isHeld.get(fence(held))?.aside === 1
  const error = given.error === undefined ? null : JSON.stringify(given.error)
  requireOne(inbox.settle.run({ error, ...settled, ...fence(held) }), held)
  inbox.settleAbsorbed.run({ by: held.seq, ...settled })
  if (!isOutOfTurn) inbox.promote.run(place)
  inbox.dropSteps.run({ inbox: held.seq })
  addParts(outbox, { place, parts: given.outbound, inbox: held.seq, keyOf: (index) => keyOf(held.seq, index) })
  if (given.turn) writeTurn(given.turn)
}

function listFailures({ inbox, outbox }: JournalTools, limit: number): readonly Failure[] {
  const all = [...inbox.failed.all({ limit }).map(toFailedTurn), ...outbox.failed.all({ limit }).map(toFailedSend)]
  return all.sort((one, other) => other.at - one.at || other.seq - one.seq).slice(0, limit)
}

async function countPending({ inbox, outbox }: JournalTools): ReturnType<Journal['pending']> {
  const found = new Map<string, ConversationRef & { inbox: number; outbox: number }>()
  const count = (rows: readonly (ConversationRef & { readonly count: number })[], side: 'inbox' | 'outbox') => {
    for (const { count: waiting, ...place } of rows) {
      const key = JSON.stringify([place.platform, place.account, place.conversation])
      found.set(key, { ...(found.get(key) ?? { ...place, inbox: 0, outbox: 0 }), [side]: waiting })
    }
  }
  count(
    inbox.pending.all({}).filter(({ platform }) => platform !== sessionPlatform),
    'inbox',
  )
  count(outbox.pending.all({}), 'outbox')
  return [...found.values()]
}

/** In short transactions, so that nobody waits long for the file. */
async function prune({ commits, inbox, outbox }: JournalTools, before: number): Promise<number> {
  let removed = 0
  for (;;) {
    const some = await commits.run(() => inbox.prune.run({ before }) + outbox.prune.run({ before }))
    if (some === 0) return removed
    removed += some
  }
}
