import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const hello: InboundMessage = {
  ...{ id: 'm1', account: 'bot', conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false } },
  ...{ text: 'hello', addressed: true },
}

/** A place whose only message is answered, and the answer under way by `boot_a`. */
async function sending() {
  const place = await createTemporaryStore()
  const { journal } = await place.open()
  await journal.accept('talk', hello)
  const claim = await journal.claim('boot_a')
  if (!claim) throw new Error('nothing was accepted')
  await journal.answer(claim, { outbound: [{ text: 'a' }], turn: null })
  const send = await journal.claimSend('boot_a')
  if (!send) throw new Error('nothing is to be sent')
  return { place, journal, send, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

test('a retry is tried soon after a start before which the clock was set back, and else at its time', async () => {
  await using under = await sending()
  const { place, journal, send } = under
  const notBefore = place.clock.time + 60_000
  await journal.settleSend(send, { status: 'retry', notBefore })
  await journal.recover('boot_b', { alone: true })
  expect(await journal.nextSendAt('talk', journal.now())).toBe(notBefore)
  place.clock.time -= 600_000
  await journal.recover('boot_c', { alone: true })
  expect(await journal.nextSendAt('talk', journal.now())).toBe(place.clock.time + 30_000)
})

test('a retry that was under way when its gateway died is tried soon too where the clock was set back since', async () => {
  await using under = await sending()
  const { place, journal, send } = under
  await journal.settleSend(send, { status: 'retry', notBefore: place.clock.time + 60_000 })
  place.clock.time += 60_000
  expect(await journal.claimSend('boot_a')).toMatchObject({ seq: send.seq })
  place.clock.time -= 600_000
  expect(await journal.recover('boot_b', { alone: true })).toMatchObject({ sends: 1 })
  expect(await journal.nextSendAt('talk', journal.now())).toBe(place.clock.time + 30_000)
})

test('what a dead gateway left is work for those who listen, and where nothing was left or lost there is none', async () => {
  await using place = await createTemporaryStore()
  const { journal } = await place.open()
  const heard: string[] = []
  journal.onWork((work) => heard.push(work))
  await journal.accept('talk', hello)
  await journal.claim('boot_a')
  heard.length = 0
  await journal.recover('boot_b', { alone: true })
  expect(heard).toContain('inbox')
  heard.length = 0
  await journal.recover('boot_b', { alone: true })
  await journal.askAgain('talk', 0)
  expect(heard).toEqual([])
})

test('messages that are given up come in the order in which they were accepted, each with its conversation pending', async () => {
  await using place = await createTemporaryStore()
  const { journal } = await place.open()
  const conversations = ['zoe', 'mira', 'ann']
  for (const [at, id] of conversations.entries()) await journal.accept('talk', { ...hello, id: `m${at}`, conversation: { id, kind: 'dm' } })
  expect((await journal.pending()).map(({ conversation, inbox }) => `${conversation} ${inbox}`).sort()).toEqual([
    'ann 1',
    'mira 1',
    'zoe 1',
  ])
  const given: string[] = []
  for (let crash = 0; crash < 3; crash++) {
    while (await journal.claim(`boot_${crash}`));
    const { failed } = await journal.recover(`boot_${crash + 1}`, { alone: true })
    given.push(...failed.map(({ message }) => message.conversation.id))
  }
  expect(given).toEqual(conversations)
})
