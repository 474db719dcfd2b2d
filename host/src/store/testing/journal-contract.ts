import type { InboundMessage } from '@agent/plugin-sdk'
import { describe, expect, test } from 'vitest'
import type { Claim, ClaimedSend, Journal } from '../journal.ts'
import type { TurnRows } from '../sessions.ts'
import type { Store } from '../store.ts'
import { childRules } from './journal-children-contract.ts'
import { doubtRules } from './journal-doubt-contract.ts'
import { failureRules } from './journal-failure-contract.ts'
import { outOfTurnRules } from './journal-out-of-turn-contract.ts'
import type { Check, JournalPlace } from './journal-place.ts'
import { partRules } from './journal-post-contract.ts'
import { messageOf } from './messages.ts'

const room = { platform: 'irc', account: 'bot', conversation: '#a' }

/** The promises of the journal port; every store that brings a journal runs them. */
export function journalContract(name: string, createPlace: () => Promise<JournalPlace>): void {
  describe(`journal of ${name}`, () => {
    const check = (title: string, run: (journal: Journal, place: JournalPlace, store: Store) => Promise<void>): void =>
      test(title, async () => {
        await using place = await createPlace()
        const store = await place.open()
        await run(store.journal, place, store)
      })
    acceptRules(check)
    orderRules(check)
    answerRules(check)
    failureRules(check)
    sendRules(check)
    postRules(check)
    partRules(check)
    ownerRules(check)
    recoveryRules(check)
    careRules(check)
    outOfTurnRules(check)
    childRules(check)
    doubtRules(check)
  })
}

function acceptRules(check: Check): void {
  check('a message is accepted once per platform, account and id, before and after its answer', async (journal) => {
    expect(await journal.accept('irc', messageOf('1'))).toMatchObject({ status: 'accepted' })
    expect(await journal.accept('irc', messageOf('1', { text: 'again' }))).toEqual({ status: 'duplicate' })
    expect(await journal.accept('irc', { ...messageOf('1'), account: 'other' })).toMatchObject({ status: 'accepted' })
    expect(await journal.accept('sms', messageOf('1'))).toMatchObject({ status: 'accepted' })
    await journal.answer(await claimed(journal), { outbound: [], turn: null })
    expect(await journal.accept('irc', messageOf('1'))).toEqual({ status: 'duplicate' })
  })

  check('what was accepted comes back whole', async (journal, place) => {
    const message: InboundMessage = {
      ...messageOf('1', { text: 'Grüße \u{1F44B}' }),
      replyTo: { id: '0', text: 'before' },
      media: [{ id: 'b1', kind: 'image', mime: 'image/png', bytes: 3 }],
    }
    await journal.accept('irc', message)
    const claim = await claimed((await place.open()).journal)
    expect(claim.message).toEqual(message)
    expect(claim).toMatchObject({ platform: 'irc', attempts: 1, crashes: 0, steps: [], receivedAt: place.clock.time })
  })
}

function orderRules(check: Check): void {
  check('a conversation is worked one message at a time, in order; others go on', async (journal) => {
    for (const id of ['1', '2', '3']) await journal.accept('irc', messageOf(id))
    await journal.accept('irc', messageOf('9', { conversation: '#b' }))
    const first = await claimed(journal)
    const other = await claimed(journal)
    expect([first.message.id, other.message.id]).toEqual(['1', '9'])
    expect(await journal.claim('boot_a')).toBeNull()
    expect(await journal.claim('boot_a', room)).toBeNull()
    await journal.answer(first, { outbound: [], turn: null })
    const second = await claimed(journal)
    expect(second.message.id).toBe('2')
    await journal.release(second)
    expect((await claimed(journal)).message.id).toBe('2')
  })

  check('a claim can be narrowed to a platform or a conversation', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    await journal.accept('sms', messageOf('2'))
    await journal.accept('irc', messageOf('3', { conversation: '#b' }))
    expect((await journal.claim('boot_a', { platform: 'sms' }))?.message.id).toBe('2')
    expect((await journal.claim('boot_a', { ...room, conversation: '#b' }))?.message.id).toBe('3')
    expect(await journal.claim('boot_a', { ...room, conversation: '#c' })).toBeNull()
  })

  check('parts leave in order; an open part blocks, a settled one does not, however it ended', async (journal) => {
    await answered(journal, '1', ['a', 'b', 'c', 'd'])
    await answered(journal, '2', ['e'])
    await answered(journal, '3', ['x'], '#b')
    const first = await claimedSend(journal)
    const other = await claimedSend(journal)
    expect([first.message.text, other.message.text]).toEqual(['a', 'x'])
    expect(await journal.claimSend('boot_a')).toBeNull()
    await journal.settleSend(first, { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: {} } })
    const second = await claimedSend(journal)
    await journal.settleSend(second, { status: 'refused', error: { code: 'SEND_REFUSED', params: {} } })
    const third = await claimedSend(journal)
    expect([second.message.text, third.message.text]).toEqual(['b', 'c'])
    expect([first, second, third].map((send) => send.message.part)).toEqual([0, 1, 2].map((index) => ({ index, total: 4 })))
    await journal.settleSend(third, { status: 'sent', platformId: 'p3' })
    expect(await drain(journal)).toEqual(['d', 'e'])
  })

  check('a part that is to be retried waits at the head of its conversation, under its key', async (journal, place) => {
    await answered(journal, '1', ['a', 'b'])
    const send = await claimedSend(journal)
    const notBefore = place.clock.time + 1_000
    await journal.settleSend(send, { status: 'retry', notBefore })
    expect(await journal.claimSend('boot_a')).toBeNull()
    expect(await journal.nextSendAt(send.platform, journal.now())).toBe(notBefore)
    place.clock.time = notBefore
    const again = await claimedSend(journal)
    expect(again.message).toEqual(send.message)
    expect(again.attempts).toBe(2)
    expect(await journal.nextSendAt(send.platform, journal.now())).toBeNull()
  })
}

function answerRules(check: Check): void {
  check('an answer settles the message, queues its parts and stores the turn in one transaction', async (journal, _place, { sessions }) => {
    await journal.accept('irc', messageOf('1'))
    await journal.answer(await claimed(journal), { outbound: [{ text: 'hi', replyTo: '1' }], turn: turnRows('ses_a') })
    expect((await sessions.find('ses_a'))?.messages).toBe(1)
    expect(await journal.pending()).toEqual([{ ...room, inbox: 0, outbox: 1 }])
    expect((await claimedSend(journal)).message).toMatchObject({ ...{ account: 'bot', conversation: '#a', text: 'hi', replyTo: '1' } })
  })

  check('when a part of an answer fails, nothing of it is stored', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    const claim = await claimed(journal)
    const { create: _create, ...session } = turnRows('ses_a').session
    const answer = journal.answer(claim, { outbound: [{ text: 'hi' }], turn: { ...turnRows('ses_a'), session } })
    await expect(answer).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(await journal.pending()).toEqual([{ ...room, inbox: 1, outbox: 0 }])
    await journal.answer(claim, { outbound: [], turn: null, state: 'dropped' })
    expect(await journal.pending()).toEqual([])
  })
}

function sendRules(check: Check): void {
  check('an unknown send is listed and can be sent again under its key, once', async (journal, place) => {
    await answered(journal, '1', ['a'])
    const send = await claimedSend(journal)
    const error = { code: 'SEND_UNKNOWN', params: { platform: 'irc', detail: 'cut' } }
    await journal.settleSend(send, { status: 'unknown', error })
    expect(await journal.unknownSends()).toMatchObject([{ ...room, seq: send.seq, text: 'a', error, at: place.clock.time }])
    await answered(journal, '2', ['b'])
    expect(await Promise.all([journal.resend(send.seq), journal.resend(send.seq), journal.resend(99)])).toEqual([true, false, false])
    expect(await journal.unknownSends()).toEqual([])
    const [next, more] = [await claimedSend(journal), await journal.claimSend('boot_a')]
    expect(more).toBeNull()
    await journal.settleSend(next, { status: 'sent', platformId: 'p' })
    expect([next.message.text, ...(await drain(journal))].sort()).toEqual(['a', 'b'])
  })

  check('a preview is noted before it is sent and edited by the first part, after a crash too', async (journal, place) => {
    await journal.accept('irc', messageOf('1'))
    const claim = await claimed(journal)
    const preview = await journal.startPreview(claim, '…')
    if (!preview) throw new Error('no preview')
    expect(await journal.startPreview(claim, 'twice')).toBeNull()
    await journal.settleSend(preview, { status: 'sent', platformId: 'p1' })
    const { journal: later } = await place.open()
    expect(await later.recover('boot_b')).toMatchObject({ messages: 1, sends: 0 })
    const again = await claimed(later, 'boot_b')
    expect(again.preview).toEqual({ platformId: 'p1' })
    await later.answer(again, { outbound: [{ text: 'all' }, { text: 'more' }], turn: null })
    const first = await claimedSend(later)
    expect(first).toMatchObject({ edits: 'p1', message: { text: 'all' } })
    await later.settleSend(first, { status: 'sent', platformId: 'p1' })
    expect((await claimedSend(later)).edits).toBeUndefined()
  })

  check('a preview never overtakes parts that wait', async (journal) => {
    await answered(journal, '1', ['a'])
    await journal.accept('irc', messageOf('2'))
    expect(await journal.startPreview(await claimed(journal), '…')).toBeNull()
  })
}

function postRules(check: Check): void {
  check('what is posted leaves like an answer, behind what waits there, and once per id', async (journal, place) => {
    await answered(journal, '1', ['a'])
    await journal.post(
      room,
      [{ text: 'b' }, { text: 'c', media: [{ blob: { blob: 'x', mime: 'image/png', bytes: 3 }, kind: 'image' }] }],
      'msg_1',
    )
    await (await place.open()).journal.post(room, [{ text: 'again' }], 'msg_1')
    expect(await journal.pending()).toEqual([{ ...room, inbox: 0, outbox: 3 }])
    expect(await journal.posted('msg_1')).toEqual([0, 1].map((part) => ({ part, total: 2, state: 'waiting' })))
    expect(await drain(journal)).toEqual(['a', 'b', 'c'])
    expect(await journal.posted('msg_1')).toMatchObject([0, 1].map((part) => ({ part, state: 'sent', platformId: expect.any(String) })))
    await journal.post(room, [{ text: 'again' }], 'msg_1')
    expect(await journal.pending()).toEqual([])
    expect(await journal.posted('msg')).toEqual([])
  })

  check('what became of a post is told, and its fate may be unknown like that of an answer', async (journal) => {
    const error = { code: 'SEND_REFUSED', params: { platform: 'irc', detail: 'no such nick' } }
    await journal.post(room, [{ text: 'a' }, { text: 'b' }, { text: 'c' }], 'msg_1')
    const first = await claimedSend(journal)
    expect(first.edits).toBeUndefined()
    await journal.settleSend(first, { status: 'refused', error })
    await journal.settleSend(await claimedSend(journal), { status: 'unknown', error })
    expect(await journal.posted('msg_1')).toEqual([
      { part: 0, total: 3, state: 'refused', error },
      { part: 1, total: 3, state: 'unknown', error },
      { part: 2, total: 3, state: 'waiting' },
    ])
    const [lost] = await journal.unknownSends()
    expect(lost).toMatchObject({ ...room, text: 'b' })
    await journal.resend(lost?.seq ?? 0)
    expect((await drain(journal)).sort()).toEqual(['b', 'c'])
  })

  check('parts of an answer may go elsewhere, in the order of that place, and replace no preview', async (journal) => {
    const garden = { platform: 'sms', account: 'me', conversation: 'garden' }
    await journal.accept('irc', messageOf('1'))
    const claim = await claimed(journal)
    const preview = await journal.startPreview(claim, '…')
    if (!preview) throw new Error('no preview')
    await journal.settleSend(preview, { status: 'sent', platformId: 'p1' })
    await journal.answer(claim, { outbound: [{ text: 'a', to: garden }, { text: 'b', to: garden }, { text: 'c' }], turn: null })
    const first = await claimedSend(journal)
    expect(first).toMatchObject({ platform: 'sms', message: { account: 'me', conversation: 'garden', text: 'a' } })
    expect(first.edits).toBeUndefined()
    expect((await claimedSend(journal)).message.text).toBe('c')
    await journal.settleSend(first, { status: 'sent', platformId: 'p' })
    expect(await drain(journal)).toEqual(['b'])
  })
}

function ownerRules(check: Check): void {
  check('who lost a claim can neither step, release, preview nor answer; who lost a send cannot settle it', async (journal, place) => {
    await journal.accept('irc', messageOf('1'))
    await answered(journal, '2', ['a'], '#b')
    const [claim, send] = [await claimed(journal), await claimedSend(journal)]
    const { journal: other } = await place.open()
    const recovery = await other.recover('boot_b')
    expect(recovery).toMatchObject({ messages: 1, sends: 1 })
    const lost = { code: 'CLAIM_LOST' }
    await expect(journal.recordStep(claim, step)).rejects.toMatchObject(lost)
    await expect(journal.release(claim)).rejects.toMatchObject(lost)
    await expect(journal.startPreview(claim, '…')).rejects.toMatchObject(lost)
    await expect(journal.answer(claim, { outbound: [{ text: 'x' }], turn: turnRows('ses_a') })).rejects.toMatchObject(lost)
    await expect(journal.settleSend(send, { status: 'sent', platformId: 'p' })).rejects.toMatchObject(lost)
    expect((await claimed(other, 'boot_b')).steps).toEqual([])
    const again = await other.claimSend('boot_b')
    if (!again) throw new Error('no send could be claimed')
    expect(again).toMatchObject({ doubt: 'ask', message: { key: send.message.key }, firstTriedAt: send.firstTriedAt })
    await other.settleSend(again, { status: 'sent', platformId: 'p' })
    expect(await other.pending()).toEqual([{ ...room, inbox: 1, outbox: 0 }])
  })

  check('the same owner is fenced off from its own earlier claim', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    const stale = await claimed(journal)
    await journal.release(stale)
    await claimed(journal)
    await expect(journal.answer(stale, { outbound: [], turn: null })).rejects.toMatchObject({ code: 'CLAIM_LOST' })
  })

  check('two owners claiming at once never get the same message', async (journal, place) => {
    const { journal: other } = await place.open()
    for (let n = 0; n < 20; n++) await journal.accept('irc', messageOf(`${n}`, { conversation: `#${n}` }))
    const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? journal.claim('boot_a') : other.claim('boot_b'))))
    const ids = claims.flatMap((claim) => (claim ? [claim.message.id] : []))
    expect(ids).toHaveLength(20)
    expect(new Set(ids).size).toBe(20)
  })
}

const step = { type: 'tool.start', id: 'c1', name: 'terminal', args: '{"command":"date"}' } as const

function recoveryRules(check: Check): void {
  check('the claims of an owner with a lease are its own until the lease ends', async (journal, place, { leases }) => {
    await leases.hold('boot_a', 'boot_a', 10_000)
    await journal.accept('irc', messageOf('1'))
    await claimed(journal)
    expect(await journal.recover('boot_b')).toEqual({ messages: 0, sends: 0, failed: [] })
    place.clock.time += 10_001
    expect(await journal.recover('boot_b')).toMatchObject({ messages: 1 })
    await claimed(journal)
    await leases.hold('boot_a', 'boot_a', 10_000)
    expect(await journal.recover('boot_a', { alone: true })).toMatchObject({ messages: 0 })
    expect(await journal.recover('boot_b', { alone: true })).toMatchObject({ messages: 1 })
  })

  check('a message comes back with its steps, in order, until it is answered', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    const claim = await claimed(journal)
    const model = {
      type: 'model',
      parts: [{ type: 'opaque', provider: 'p', data: new Uint8Array([0, 255]) }],
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    } as const
    await Promise.all([journal.recordStep(claim, model), journal.recordStep(claim, step)])
    await journal.recover('boot_b')
    const again = await claimed(journal, 'boot_b')
    expect(again).toMatchObject({ attempts: 2, crashes: 1 })
    expect(again.steps).toEqual([model, step])
  })

  check('the third crash on a message gives it up, and says so until it is answered', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    for (const owner of ['boot_1', 'boot_2']) {
      await claimed(journal, owner)
      expect(await journal.recover('boot_x')).toMatchObject({ messages: 1, failed: [] })
    }
    await claimed(journal, 'boot_3')
    expect(await journal.recover('boot_4')).toMatchObject({ messages: 0, failed: [{ owner: 'boot_4', crashes: 3 }] })
    const [given] = (await journal.recover('boot_5')).failed
    if (!given) throw new Error('nothing was given up')
    await journal.answer(given, { outbound: [{ text: 'sorry' }], turn: null, state: 'failed' })
    expect(await journal.recover('boot_6')).toMatchObject({ failed: [] })
    expect(await drain(journal)).toEqual(['sorry'])
  })

  check('an orderly release is no crash', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    for (let n = 0; n < 5; n++) await journal.release(await claimed(journal))
    expect(await claimed(journal)).toMatchObject({ crashes: 0, attempts: 6 })
  })
}

function careRules(check: Check): void {
  check('work is rung for after the commit, until the listener leaves', async (journal) => {
    const rung: string[] = []
    const leave = journal.onWork((work) => rung.push(work))
    await journal.accept('irc', messageOf('1'))
    expect(rung).toEqual(['inbox'])
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a' }], turn: null })
    // The next one of the conversation may go once this one has gone.
    await journal.settleSend(await claimedSend(journal), { status: 'sent', platformId: 'p' })
    expect(rung.filter((work) => work === 'outbox')).toHaveLength(2)
    const before = rung.length
    leave()
    await journal.accept('irc', messageOf('2'))
    expect(rung).toHaveLength(before)
  })

  check('pruning forgets what is settled and old, and nothing that is open or unknown', async (journal, place) => {
    await answered(journal, '1', ['a', 'b', 'c'])
    const first = await claimedSend(journal)
    await journal.settleSend(first, { status: 'sent', platformId: 'p' })
    await journal.settleSend(await claimedSend(journal), { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: {} } })
    expect(await journal.prune(place.clock.time)).toBe(0)
    place.clock.time += 1
    await journal.accept('irc', messageOf('2'))
    expect(await journal.prune(place.clock.time)).toBe(2)
    expect(await journal.pending()).toEqual([{ ...room, inbox: 1, outbox: 1 }])
    expect(await journal.unknownSends()).toHaveLength(1)
    expect(await journal.accept('irc', messageOf('1'))).toMatchObject({ status: 'accepted' })
    await answered(journal, '3', ['x'], '#z')
    expect((await claimedSend(journal, '#z')).message.key).not.toBe(first.message.key)
  })
}

function turnRows(id: string): TurnRows {
  return {
    session: { id, create: { source: 'irc', provider: 'p', model: 'm', system: '', tools: '[]' } },
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    calls: 1,
    at: 1,
  }
}

async function claimed(journal: Journal, owner = 'boot_a'): Promise<Claim> {
  const claim = await journal.claim(owner)
  if (!claim) throw new Error('no message could be claimed')
  return claim
}

async function claimedSend(journal: Journal, conversation?: string): Promise<ClaimedSend> {
  const send = await journal.claimSend('boot_a', conversation === undefined ? undefined : { ...room, conversation })
  if (!send) throw new Error('no send could be claimed')
  return send
}

async function answered(journal: Journal, id: string, texts: readonly string[], conversation = '#a'): Promise<void> {
  await journal.accept('irc', messageOf(id, { conversation }))
  const claim = await journal.claim('boot_a', { ...room, conversation })
  if (!claim) throw new Error('no message could be claimed')
  await journal.answer(claim, { outbound: texts.map((text) => ({ text })), turn: null })
}

async function drain(journal: Journal): Promise<string[]> {
  const texts: string[] = []
  for (let send = await journal.claimSend('boot_a'); send; send = await journal.claimSend('boot_a')) {
    texts.push(send.message.text)
    await journal.settleSend(send, { status: 'sent', platformId: `p${send.seq}` })
  }
  return texts
}
