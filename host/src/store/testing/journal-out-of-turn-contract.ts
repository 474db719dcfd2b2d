import { expect } from 'vitest'
import type { Claim, Journal } from '../journal.ts'
import type { Check } from './journal-place.ts'
import { messageOf } from './messages.ts'

const room = { platform: 'irc', account: 'bot', conversation: '#a' }

/** What holds for messages that do not wait for their turn. */
export function outOfTurnRules(check: Check): void {
  turnRules(check)
  returnRules(check)
  attemptRules(check)
  shareRules(check)
  sayRules(check)
}

function turnRules(check: Check): void {
  check('a message can be taken out of its turn, by one owner, while the head goes on', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2', '3')
    const head = await claimed(journal)
    expect((await journal.waiting(head, 9)).map(({ message }) => message.id)).toEqual(['2', '3'])
    expect(await journal.waiting(head, 1)).toMatchObject([{ seq: second, message: messageOf('2') }])
    const aside = await journal.claimOutOfTurn('boot_a', second)
    if (!aside) throw new Error('the message could not be taken')
    expect(await journal.claimOutOfTurn('boot_b', second)).toBeNull()
    expect(await journal.claimOutOfTurn('boot_a', head.seq)).toBeNull()
    await journal.answer(head, { outbound: [], turn: null })
    const third = await claimed(journal)
    expect(third.message.id).toBe('3')
    await journal.answer(aside, { outbound: [{ text: 'aside' }], turn: null })
    expect(await journal.claim('boot_a')).toBeNull()
    await accepted(journal, '4')
    expect(await journal.claim('boot_a')).toBeNull()
    await journal.answer(third, { outbound: [], turn: null })
    expect((await claimed(journal)).message.id).toBe('4')
  })

  check('a head that is put out of its turn lets the others go on, and new ones too', async (journal) => {
    await accepted(journal, '1', '2')
    const first = await claimed(journal)
    await journal.putOutOfTurn(first)
    const second = await claimed(journal)
    expect(second.message.id).toBe('2')
    await journal.answer(second, { outbound: [], turn: null })
    await accepted(journal, '3')
    expect((await claimed(journal)).message.id).toBe('3')
    await journal.answer(first, { outbound: [], turn: null })
    await expect(journal.putOutOfTurn(first)).rejects.toMatchObject({ code: 'CLAIM_LOST' })
    expect(await journal.pending()).toEqual([{ ...room, inbox: 1, outbox: 0 }])
  })

  check('what is out of its turn already gives no other message the turn of the one that runs', async (journal) => {
    const [, , third = 0] = await accepted(journal, '1', '2', '3')
    const first = await claimed(journal)
    await journal.putOutOfTurn(first)
    expect((await claimed(journal)).message.id).toBe('2')
    await journal.release(first)
    const aside = await journal.claimOutOfTurn('boot_a', third)
    if (!aside) throw new Error('the message could not be taken')
    await journal.putOutOfTurn(aside)
    expect(await journal.claim('boot_a')).toBeNull()
  })

  check('what was out of its turn waits again after a release and after a crash, and only once', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2')
    const head = await claimed(journal)
    const aside = await journal.claimOutOfTurn('boot_a', second)
    if (!aside) throw new Error('the message could not be taken')
    await journal.release(aside)
    expect(await journal.claim('boot_a')).toBeNull()
    await journal.claimOutOfTurn('boot_a', second)
    await journal.answer(head, { outbound: [], turn: null })
    expect(await journal.claim('boot_a')).toBeNull()
    expect(await journal.recover('boot_b', { alone: true })).toMatchObject({ messages: 1 })
    expect(await claimed(journal, 'boot_b')).toMatchObject({ message: { id: '2' }, crashes: 1 })
    expect(await journal.claim('boot_b')).toBeNull()
  })
}

function returnRules(check: Check): void {
  check('what is given back out of its turn waits for the head that came after it', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2', '3')
    const head = await claimed(journal)
    const aside = await journal.claimOutOfTurn('boot_a', second)
    if (!aside) throw new Error('the message could not be taken')
    await journal.answer(head, { outbound: [], turn: null })
    const third = await claimed(journal)
    await journal.release(aside)
    expect(await journal.claim('boot_a')).toBeNull()
    await journal.answer(third, { outbound: [], turn: null })
    expect((await claimed(journal)).message.id).toBe('2')
  })
}

function attemptRules(check: Check): void {
  check('who takes a message out of its turn again gets the steps of the attempt before', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2')
    await claimed(journal)
    const first = await journal.claimOutOfTurn('boot_a', second)
    if (!first) throw new Error('the message could not be taken')
    const step = { type: 'tool.start', id: 'c1', name: 'terminal', args: '{}' } as const
    await journal.recordStep(first, step)
    await journal.release(first)
    expect(await journal.claimOutOfTurn('boot_a', second)).toMatchObject({ attempts: 2, steps: [step] })
  })

  check('a message that is given up comes with the preview that stands on the platform', async (journal) => {
    await accepted(journal, '1')
    const claim = await claimed(journal)
    const preview = await journal.startPreview(claim, '…')
    if (!preview) throw new Error('no preview')
    await journal.settleSend(preview, { status: 'sent', platformId: 'p1' })
    for (const owner of ['boot_2', 'boot_3']) {
      await journal.recover(owner, { alone: true })
      await claimed(journal, owner)
    }
    expect(await journal.recover('boot_4', { alone: true })).toMatchObject({ failed: [{ preview: { platformId: 'p1' } }] })
  })

  check('a plain part names no files and no buttons', async (journal) => {
    await accepted(journal, '1')
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a' }], turn: null })
    const message = { key: expect.any(String), account: 'bot', conversation: '#a', text: 'a', part: { index: 0, total: 1 } }
    expect((await journal.claimSend('boot_a'))?.message).toStrictEqual(message)
  })

  check('only a part that can be sent again rings for work', async (journal) => {
    await journal.post(room, [{ text: 'a' }], 'msg_1')
    const send = await journal.claimSend('boot_a')
    if (!send) throw new Error('nothing is to be sent')
    await journal.settleSend(send, { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: {} } })
    const rung: string[] = []
    journal.onWork((work) => rung.push(work))
    expect(await journal.resend(send.seq + 1)).toBe(false)
    expect(rung).toEqual([])
    expect(await journal.resend(send.seq)).toBe(true)
    expect(rung).toEqual(['outbox'])
  })
}

function shareRules(check: Check): void {
  check('messages share the answer of the head: they are settled with it, and are gone', async (journal) => {
    const [, second = 0, third = 0] = await accepted(journal, '1', '2', '3')
    await accepted(journal, { conversation: '#b' }, '9')
    const head = await claimed(journal)
    const other = await claimed(journal)
    expect(await journal.absorb(head, [second, other.seq, 99])).toEqual([second])
    expect(await journal.claimOutOfTurn('boot_a', second)).toBeNull()
    expect((await journal.waiting(head, 9)).map(({ seq }) => seq)).toEqual([third])
    await journal.answer(head, { outbound: [{ text: 'both' }], turn: null })
    expect((await claimed(journal)).message.id).toBe('3')
    expect(await journal.accept('irc', messageOf('2'))).toEqual({ status: 'duplicate' })
    expect((await journal.pending()).find(({ conversation }) => conversation === '#a')).toMatchObject({ inbox: 1, outbox: 1 })
  })

  check('they wait again, in order, when the head is given back or its owner dies', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2')
    const head = await claimed(journal)
    await journal.absorb(head, [second])
    await journal.release(head)
    const again = await claimed(journal)
    expect(again.message.id).toBe('1')
    expect(await journal.absorb(again, [second])).toEqual([second])
    expect(await journal.recover('boot_b', { alone: true })).toMatchObject({ messages: 2 })
    const third = await claimed(journal, 'boot_b')
    expect(third.message.id).toBe('1')
    await journal.answer(third, { outbound: [], turn: null })
    expect((await claimed(journal, 'boot_b')).message.id).toBe('2')
  })

  check('only who holds the head can let others share its answer', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2')
    const head = await claimed(journal)
    await journal.recover('boot_b', { alone: true })
    await expect(journal.absorb(head, [second])).rejects.toMatchObject({ code: 'CLAIM_LOST' })
    const taken = await claimed(journal, 'boot_b')
    await journal.putOutOfTurn(taken)
    await expect(journal.absorb(taken, [second])).rejects.toMatchObject({ code: 'CLAIM_LOST' })
  })

  check('a message that crashes with its head is given up with it, each for itself', async (journal) => {
    const [, second = 0] = await accepted(journal, '1', '2')
    for (const owner of ['boot_1', 'boot_2', 'boot_3']) {
      await journal.absorb(await claimed(journal, owner), [second])
      await journal.recover('boot_4', { alone: true })
    }
    const { failed } = await journal.recover('boot_5', { alone: true })
    expect(failed.map(({ message }) => message.id)).toEqual(['1', '2'])
    for (const claim of failed) await journal.answer(claim, { outbound: [], turn: null, state: 'failed' })
    await accepted(journal, '3')
    expect((await claimed(journal, 'boot_5')).message.id).toBe('3')
  })
}

function sayRules(check: Check): void {
  check('a retry that a wrong clock has put hours ahead is tried soon after the next start', async (journal, place) => {
    await accepted(journal, '1')
    await journal.answer(await claimed(journal), { outbound: [{ text: 'a' }], turn: null })
    const send = await journal.claimSend('boot_a')
    if (!send) throw new Error('nothing is to be sent')
    await journal.settleSend(send, { status: 'retry', notBefore: place.clock.time + 3 * 3_600_000 })
    place.clock.time += 60_000
    expect(await journal.claimSend('boot_a')).toBeNull()
    await journal.recover('boot_b', { alone: true })
    expect(await journal.claimSend('boot_b')).toBeNull()
    place.clock.time += 60_000
    const hastened = await journal.claimSend('boot_b')
    if (!hastened) throw new Error('nothing is to be sent')
    expect(hastened.message.text).toBe('a')
    // A platform that asks for patience means minutes.
    await journal.settleSend(hastened, { status: 'retry', notBefore: place.clock.time + 10 * 60_000 })
    await journal.recover('boot_c', { alone: true })
    place.clock.time += 9 * 60_000
    expect(await journal.claimSend('boot_c')).toBeNull()
  })

  check('what is said before the answer leaves before it, with its buttons, and replaces no preview', async (journal) => {
    await accepted(journal, '1')
    const claim = await claimed(journal)
    const preview = await journal.startPreview(claim, '…')
    if (!preview) throw new Error('no preview')
    await journal.settleSend(preview, { status: 'sent', platformId: 'p1' })
    const buttons = [{ id: 'ask:0', label: 'Yes' }]
    await journal.say(claim, [{ text: 'May I?', buttons }])
    await journal.say(claim, [{ text: 'Really?' }, { text: 'Now?' }])
    await journal.answer(claim, { outbound: [{ text: 'Done.' }], turn: null })
    const said: unknown[] = []
    for (let send = await journal.claimSend('boot_a'); send; send = await journal.claimSend('boot_a')) {
      said.push([send.message.text, send.message.buttons, send.edits])
      await journal.settleSend(send, { status: 'sent', platformId: `s${send.seq}` })
    }
    expect(said).toEqual([
      ['May I?', buttons, undefined],
      ['Really?', undefined, undefined],
      ['Now?', undefined, undefined],
      ['Done.', undefined, 'p1'],
    ])
    await expect(journal.say(claim, [{ text: 'Late.' }])).rejects.toMatchObject({ code: 'CLAIM_LOST' })
  })

  check('what a later attempt says has its own keys', async (journal) => {
    await accepted(journal, '1')
    await journal.say(await claimed(journal), [{ text: 'May I?' }])
    await journal.recover('boot_b', { alone: true })
    await journal.say(await claimed(journal, 'boot_b'), [{ text: 'May I?' }])
    const [one, two] = [await journal.claimSend('boot_b'), await journal.pending()]
    expect(one?.message.text).toBe('May I?')
    expect(two).toEqual([{ ...room, inbox: 1, outbox: 2 }])
  })
}

async function accepted(journal: Journal, ...ids: readonly (string | { readonly conversation: string })[]): Promise<readonly number[]> {
  const seqs: number[] = []
  const more = ids.find((id) => typeof id !== 'string')
  for (const id of ids) {
    if (typeof id !== 'string') continue
    const result = await journal.accept('irc', messageOf(id, more))
    if (result.status === 'accepted') seqs.push(result.seq)
  }
  return seqs
}

async function claimed(journal: Journal, owner = 'boot_a'): Promise<Claim> {
  const claim = await journal.claim(owner)
  if (!claim) throw new Error('no message could be claimed')
  return claim
}
