import type { OutboundMessage } from '@agent/plugin-sdk'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { ConversationRef, Journal } from '#store/journal.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { talkConnection, talkSpec } from '../testing/talk.ts'
import { isSettled, withOutbox } from './send-post.ts'

const garden: ConversationRef = { platform: 'talk', account: 'bot', conversation: 'garden' }
const ann: ConversationRef = { ...garden, conversation: 'ann' }
const spec = talkSpec()
const contribution = { kind: 'platform', id: 'talk', spec } as Contribution<'platform'>

/** Posts to the garden what is given, with a connection that sends, and says what was sent. */
async function sendTo(place: ConversationRef, before: (journal: Journal) => Promise<void>) {
  await using temporary = await createTemporaryStore()
  const clock = createSystemClock()
  const { journal, leases } = await temporary.open({ clock })
  await before(journal)
  const sent: string[] = []
  const send = async ({ text, conversation }: OutboundMessage) => {
    sent.push(`${conversation}: ${text}`)
    return { status: 'sent', platformId: text } as const
  }
  const connection = talkConnection(spec, { send })
  const options = { journal, leases, owner: 'boot_send', contribution, platform: { connection: () => connection }, clock, log: silentLog }
  const held = await withOutbox(options, place, async () => {
    await journal.post(place, [{ text: 'news' }], 'msg_1')
    await expect.poll(async () => isSettled(await journal.posted('msg_1')), { interval: 5 }).toBe(true)
    return leases.holder('boot_send')
  })
  return { sent, held, after: await leases.holder('boot_send'), pending: await journal.pending(), unknown: await journal.unknownSends() }
}

test('what waits for the conversation goes first, and what waits elsewhere stays', async () => {
  const found = await sendTo(garden, async (journal) => {
    await journal.post(ann, [{ text: 'hello' }], 'msg_a')
    await journal.post(garden, [{ text: 'old' }], 'msg_b')
  })
  expect(found.sent).toEqual(['garden: old', 'garden: news'])
  expect(found.pending).toEqual([{ ...ann, inbox: 0, outbox: 1 }])
  expect([found.held, found.after]).toEqual(['boot_send', undefined])
})

test('what a dead process was sending there does not block it, and nobody can tell whether it arrived', async () => {
  const found = await sendTo(garden, async (journal) => {
    await journal.post(garden, [{ text: 'lost' }], 'msg_a')
    await journal.post(ann, [{ text: 'lost too' }], 'msg_b')
    await journal.post({ ...garden, platform: 'irc' }, [{ text: 'elsewhere' }], 'msg_c')
    for (let count = 0; count < 3; count++) await journal.claimSend('boot_dead')
  })
  expect(found.sent[0]).toBe('garden: news')
  expect(found.unknown).toMatchObject([{ ...garden, text: 'lost' }])
  expect(found.pending).toEqual(
    expect.arrayContaining([
      { ...ann, inbox: 0, outbox: 1 },
      { ...garden, platform: 'irc', inbox: 0, outbox: 1 },
    ]),
  )
})

test('nothing that was forgotten or never posted counts as settled', () => {
  expect(isSettled([])).toBe(false)
  expect(
    isSettled([
      { part: 0, total: 2, state: 'sent' },
      { part: 1, total: 2, state: 'waiting' },
    ]),
  ).toBe(false)
})

test('the right is held before anything else, what waits goes without anything new, and what is under way is written down before the end', async () => {
  await using temporary = await createTemporaryStore()
  const clock = createSystemClock()
  const { journal, leases } = await temporary.open({ clock })
  await journal.post(garden, [{ text: 'old' }], 'msg_a')
  const done: string[] = []
  const slowly =
    <Given extends readonly unknown[], Result>(what: string, run: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await new Promise(setImmediate)
      const result = await run(...given)
      done.push(what)
      return result
    }
  const connection = talkConnection(spec, { send: slowly('sent', async () => ({ status: 'sent', platformId: '1' }) as const) })
  const options = {
    ...{ owner: 'boot_send', contribution, platform: { connection: () => connection }, clock, log: silentLog },
    journal: { ...journal, recover: slowly('recovered', journal.recover), settleSend: slowly('settled', journal.settleSend) },
    leases: { ...leases, hold: slowly('held', leases.hold), release: slowly('released', leases.release) },
  }
  await withOutbox(options, garden, async () => {
    done.push('used')
    await expect.poll(() => done, { interval: 5 }).toContain('sent')
  })
  expect(done).toEqual(['held', 'recovered', 'used', 'sent', 'settled', 'released'])
})
