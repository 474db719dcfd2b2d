import type { WireError } from '@agent/plugin-sdk'
import { expect } from 'vitest'
import type { Claim, ClaimedSend, Journal } from '../journal.ts'
import type { Check } from './journal-place.ts'
import { messageOf } from './messages.ts'

/** What holds for sends of which nobody knows whether they arrived. */
export function doubtRules(check: Check): void {
  fateRules(check)
  markRules(check)
}

function fateRules(check: Check): void {
  check('a send that is put back says who wants it, and since when it may have arrived', async (journal, place) => {
    await accepted(journal)
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a' }], turn: null })
    const firstTriedAt = place.clock.time
    const error = { code: 'SEND_UNKNOWN', params: {} }
    const first = await nextSend(journal)
    expect(first).toMatchObject({ firstTriedAt })
    expect(first.doubt).toBeUndefined()
    place.clock.time += 1000
    await journal.settleSend(first, { status: 'retry', notBefore: 0, doubt: 'ask' })
    const second = await nextSend(journal)
    expect(second).toMatchObject({ doubt: 'ask', firstTriedAt })
    await journal.settleSend(second, { status: 'unknown', error })
    const unknownSince = place.clock.time
    await journal.resend(second.seq)
    const third = await nextSend(journal)
    expect(third).toMatchObject({ doubt: 'insist', firstTriedAt })
    await journal.settleSend(third, { status: 'unknown', error })
    await journal.askAgain('sms', 0)
    await journal.askAgain('irc', unknownSince + 1)
    expect(await journal.claimSend('boot_a')).toBeNull()
    await journal.askAgain('irc', unknownSince)
    const fourth = await nextSend(journal)
    expect(fourth).toMatchObject({ doubt: 'ask', firstTriedAt })
    // What certainly did not arrive was never tried.
    await journal.settleSend(fourth, { status: 'retry', notBefore: 0 })
    const fifth = await nextSend(journal)
    expect(fifth).toMatchObject({ firstTriedAt: place.clock.time })
    expect(fifth.doubt).toBeUndefined()
  })

  check('what a person says of an unknown send holds, once: it is never sent, and what was lost is a failure', async (journal, place) => {
    await accepted(journal)
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a' }, { text: 'b' }, { text: 'c' }], turn: null })
    const error = { code: 'SEND_UNKNOWN', params: { platform: 'irc', detail: 'cut' } }
    const [seen, lost] = [await nextSend(journal, error), await nextSend(journal, error)]
    const open = await nextSend(journal)
    place.clock.time += 1000
    expect(await Promise.all([journal.endUnknown(seen.seq, 'arrived'), journal.endUnknown(seen.seq, 'lost')])).toEqual([true, false])
    expect(await journal.endUnknown(lost.seq, 'lost')).toBe(true)
    expect([await journal.endUnknown(open.seq, 'lost'), await journal.endUnknown(99, 'lost')]).toEqual([false, false])
    expect([await journal.unknownSends(), await journal.resend(lost.seq)]).toEqual([[], false])
    expect(await journal.failures(10)).toMatchObject([{ type: 'send', seq: lost.seq, text: 'b', error, at: place.clock.time }])
    await journal.askAgain('irc', 0)
    await journal.settleSend(open, { status: 'sent', platformId: 'p' })
    expect(await journal.claimSend('boot_a')).toBeNull()
    // Neither is kept for ever.
    place.clock.time += 1
    await journal.prune(place.clock.time)
    expect(await journal.failures(10)).toEqual([])
  })
}

function markRules(check: Check): void {
  check('a mark is said behind what waits, where the lost part answered, once; of a lost mark nobody is told', async (journal) => {
    await accepted(journal)
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a', replyTo: '1' }, { text: 'b' }], turn: null })
    const error = { code: 'SEND_UNKNOWN', params: {} }
    const first = await nextSend(journal)
    await journal.settleSend(first, { status: 'unknown', error, mark: 'lost' })
    await journal.settleSend(await nextSend(journal), { status: 'sent', platformId: 'p' })
    const mark = await nextSend(journal)
    expect(mark.message).toMatchObject({
      ...{ account: 'bot', conversation: '#a' },
      text: 'lost',
      replyTo: '1',
      part: { index: 0, total: 1 },
    })
    expect([mark.isMark, first.isMark]).toEqual([true, undefined])
    await journal.settleSend(mark, { status: 'unknown', error, mark: 'lost' })
    expect(await journal.unknownSends()).toMatchObject([{ text: 'a' }])
    await journal.resend(first.seq)
    await journal.settleSend(await nextSend(journal), { status: 'unknown', error, mark: 'lost' })
    expect(await journal.claimSend('boot_a')).toBeNull()
  })

  check('of several parts that are lost one mark is said; where no part answered anything it answers nothing', async (journal) => {
    await accepted(journal)
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a' }, { text: 'b' }], turn: null })
    const error = { code: 'SEND_UNKNOWN', params: {} }
    for (let part = 0; part < 2; part++) await journal.settleSend(await nextSend(journal), { status: 'unknown', error, mark: 'lost' })
    const mark = await nextSend(journal)
    expect(mark.message).toMatchObject({ text: 'lost', part: { index: 0, total: 1 } })
    expect(mark.message.replyTo).toBeUndefined()
    await journal.settleSend(mark, { status: 'sent', platformId: 'p' })
    expect(await journal.claimSend('boot_a')).toBeNull()
  })
}

async function accepted(journal: Journal): Promise<void> {
  await journal.accept('irc', messageOf('1'))
}

async function claimed(journal: Journal): Promise<Claim> {
  const claim = await journal.claim('boot_a')
  if (!claim) throw new Error('no message could be claimed')
  return claim
}

/** `unknown`: nobody knows what became of it. */
async function nextSend(journal: Journal, unknown?: WireError): Promise<ClaimedSend> {
  const send = await journal.claimSend('boot_a')
  if (!send) throw new Error('no send could be claimed')
  if (unknown) await journal.settleSend(send, { status: 'unknown', error: unknown })
  return send
}
