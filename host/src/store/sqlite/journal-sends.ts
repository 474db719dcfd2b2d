import { fail } from '@agent/plugin-sdk/errors'
import type { Claim, ClaimedSend, ClaimScope, Journal, SendResult } from '../journal.ts'
import { parseError, toSend } from './journal-rows.ts'
import { fence, type JournalTools, pick, placeOf, requireHeld, scopeOf } from './journal-tools.ts'

type Sends = Pick<Journal, 'startPreview' | 'claimSend' | 'settleSend' | 'nextSendAt' | 'unknownSends' | 'resend'>

/** The verbs of the outbox. */
export function createSends(tools: JournalTools): Sends {
  const { commits, outbox, bell } = tools
  return {
    startPreview: (claim, text) => commits.run(() => startPreview(tools, claim, text)),
    claimSend: (owner, where) => commits.run(() => claimSend(tools, owner, where)),
    async settleSend(send, result) {
      await commits.run(() => settleSend(tools, send, result))
      bell.ring('outbox')
    },
    nextSendAt: async (platform) => outbox.nextAt.get({ platform, now: tools.now() })?.at ?? null,
    unknownSends: async () =>
      outbox.unknown.all({}).map(({ error, settled_at, ...send }) => ({ ...send, error: parseError(error), at: settled_at ?? 0 })),
    async resend(seq) {
      const found = await commits.run(() => outbox.resend.run({ seq }) === 1)
      if (found) bell.ring('outbox')
      return found
    },
  }
}

function startPreview({ inbox, outbox, keyOf }: JournalTools, claim: Claim, text: string): ClaimedSend | null {
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
    state: 'sending',
    owner: claim.owner,
    attempts: 1,
  })
  return row ? toSend(row, null) : null
}

function claimSend({ outbox, now, keyOf }: JournalTools, owner: string, where: ClaimScope | undefined): ClaimedSend | null {
  const row = pick(outbox, where).get({ owner, now: now(), ...scopeOf(where) })
  return row ? toSend(row, previewOf({ outbox, keyOf }, row)) : null
}

/** The id of the preview that this part replaces. */
export function previewOf(
  { outbox, keyOf }: Pick<JournalTools, 'outbox' | 'keyOf'>,
  row: { readonly inbox: number; readonly part: number; readonly kind: string },
): string | null {
  if (row.part !== 0 || row.kind !== 'part') return null
  return outbox.byKey.get({ key: keyOf(row.inbox, 'preview') })?.platform_id ?? null
}

function settleSend({ outbox, now }: JournalTools, send: ClaimedSend, result: SendResult): void {
  const changes =
    result.status === 'retry'
      ? outbox.retry.run({ ...fence(send), next_at: result.notBefore })
      : outbox.settle.run({
          ...fence(send),
          state: result.status === 'refused' ? 'failed' : result.status,
          platform_id: result.status === 'sent' ? result.platformId : null,
          error: result.status === 'sent' ? null : JSON.stringify(result.error),
          at: now(),
        })
  if (changes !== 1) throw fail('CLAIM_LOST', { what: `Send ${send.seq}` })
  const { account, conversation } = send.message
  if (result.status !== 'retry') outbox.promote.run({ platform: send.platform, account, conversation })
}
