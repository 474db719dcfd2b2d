import { fail } from '@agent/plugin-sdk/errors'
import type { AnswerPart, Claim, ClaimedSend, ClaimScope, ConversationRef, Journal, PostedPart, SendResult } from '../../journal.ts'
import { addParts } from './journal-parts.ts'
import { markKey, parseError, toPosted, toSend } from './journal-rows.ts'
import { fence, type JournalTools, pick, placeOf, requireHeld, scopeOf } from './journal-tools.ts'

type Sends = Pick<
  Journal,
  | 'post'
  | 'posted'
  | 'startPreview'
  | 'now'
  | 'claimSend'
  | 'settleSend'
  | 'nextSendAt'
  | 'unknownSends'
  | 'resend'
  | 'endUnknown'
  | 'askAgain'
>

/** The verbs of the outbox. */
export function createSends(tools: JournalTools): Sends {
  const { commits, outbox, notifier } = tools
  return {
    startPreview: (claim, text) => commits.run(() => startPreview(tools, claim, text)),
    async post(place, parts, id) {
      await commits.run(() => post(tools, place, parts, id))
      notifier.notify('outbox')
    },
    posted: async (id) => posted(tools, id),
    claimSend: (owner, where) => commits.run(() => claimSend(tools, owner, where)),
    async settleSend(send, result) {
      await commits.run(() => settleSend(tools, send, result))
      notifier.notify('outbox')
    },
    now: tools.steadyNow,
    nextSendAt: async (platform, after) => outbox.nextAt.get({ platform, after })?.at ?? null,
    unknownSends: async () =>
      outbox.unknown.all({}).map(({ error, settled_at, ...send }) => ({ ...send, error: parseError(error), at: settled_at ?? 0 })),
    async resend(seq) {
      const found = await commits.run(() => outbox.resend.run({ seq, doubt: 'insist' }) === 1)
      if (found) notifier.notify('outbox')
      return found
    },
    endUnknown: (seq, fate) =>
      commits.run(() => outbox.endUnknown.run({ seq, state: fate === 'arrived' ? 'sent' : 'failed', at: tools.now() }) === 1),
    async askAgain(platform, since) {
      const asked = outbox.unknown.all({}).filter((send) => send.platform === platform && (send.settled_at ?? 0) >= since)
      if (asked.length === 0) return
      await commits.run(() => {
        for (const { seq } of asked) outbox.resend.run({ seq, doubt: 'ask' })
      })
      notifier.notify('outbox')
    },
  }
}

const postKey = ({ storeId }: JournalTools, id: string): string => `post:${storeId}:${id}:`

function post(tools: JournalTools, place: ConversationRef, parts: readonly AnswerPart[], id: string): void {
  const key = postKey(tools, id)
  if (tools.outbox.byKey.get({ key: `${key}0` })) return
  addParts(tools.outbox, { place, parts, inbox: 0, keyOf: (index) => `${key}${index}` })
}

function posted(tools: JournalTools, id: string): readonly PostedPart[] {
  const from = postKey(tools, id)
  // The sign after the colon ends the range.
  const rows = tools.outbox.byKeys.all({ from, below: `${from.slice(0, -1)};` })
  return rows.map(toPosted).sort((one, other) => one.part - other.part)
}

function startPreview({ inbox, outbox, keyOf, now }: JournalTools, claim: Claim, text: string): ClaimedSend | null {
  requireHeld(inbox, claim)
  const place = placeOf(claim.platform, claim.message)
  const key = keyOf(claim.seq, 'preview')
  if (outbox.isWaiting.get(place) || outbox.byKey.get({ key })) return null
  const row = outbox.add.get({
    ...place,
    key,
    inbox: claim.seq,
    kind: 'preview',
    part: 0,
    total: 1,
    text,
    reply_to: null,
    media: null,
    buttons: null,
    state: 'sending',
    owner: claim.owner,
    attempts: 1,
    tried_at: now(),
  })
  return row ? toSend(row, null) : null
}

function claimSend({ outbox, now, steadyNow, keyOf }: JournalTools, owner: string, where: ClaimScope | undefined): ClaimedSend | null {
  const row = pick(outbox, where).get({ owner, now: now(), due: steadyNow(), ...scopeOf(where) })
  return row ? toSend(row, previewOf({ outbox, keyOf }, row)) : null
}

interface PartRow extends ConversationRef {
  readonly inbox: number
  readonly key: string
}

/** The id of the preview that this part replaces: the first part of an answer does, where it goes to the same place. */
export function previewOf({ outbox, keyOf }: Pick<JournalTools, 'outbox' | 'keyOf'>, row: PartRow): string | null {
  if (row.inbox === 0 || row.key !== keyOf(row.inbox, 0)) return null
  const preview = outbox.byKey.get({ key: keyOf(row.inbox, 'preview') })
  const isSame = preview?.platform === row.platform && preview.account === row.account && preview.conversation === row.conversation
  return isSame ? preview.platform_id : null
}

function settleSend(tools: JournalTools, send: ClaimedSend, result: SendResult): void {
  const changes = result.status === 'retry' ? retry(tools, send, result) : settle(tools, send, result)
  if (changes !== 1) throw fail('CLAIM_LOST', { what: `Send ${send.seq}` })
  if (result.status === 'retry') return
  if (result.status === 'unknown' && result.mark !== undefined) addMark(tools, send, result.mark)
  const { account, conversation } = send.message
  tools.outbox.promote.run({ platform: send.platform, account, conversation })
}

function retry({ outbox }: JournalTools, send: ClaimedSend, { notBefore, doubt }: Extract<SendResult, { status: 'retry' }>): number {
  return outbox.retry.run({ ...fence(send), next_at: notBefore, doubt: doubt ?? null })
}

function settle({ outbox, now }: JournalTools, send: ClaimedSend, result: Exclude<SendResult, { status: 'retry' }>): number {
  // A mark is no answer: nobody is told that it may be missing.
  const isOver = result.status === 'refused' || (result.status === 'unknown' && send.isMark)
  return outbox.settle.run({
    state: isOver ? 'failed' : result.status,
    platform_id: result.status === 'sent' ? result.platformId : null,
    error: result.status === 'sent' ? null : JSON.stringify(result.error),
    at: now(),
    ...fence(send),
  })
}

/** Says in the conversation that something may be missing there, once for all parts of a message. */
function addMark({ outbox }: JournalTools, { platform, message, isMark }: ClaimedSend, text: string): void {
  const key = `${markKey}${message.key.replace(/(?<=:)\d+$/, '')}`
  if (isMark || outbox.byKey.get({ key })) return
  const { account, conversation, replyTo } = message
  const parts = [replyTo === undefined ? { text } : { text, replyTo }]
  addParts(outbox, { place: { platform, account, conversation }, parts, inbox: 0, keyOf: () => key })
}
