import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Claim, WaitingMessage } from '#store/journal.ts'
import { messageOf } from '#store/testing/messages.ts'
import { talkSpec } from '../testing/talk.ts'
import { type GatherOptions, gatherMessages } from './gather-messages.ts'

const { signal } = new AbortController()
const claim: Claim = {
  ...{ seq: 1, owner: 'boot', attempts: 1, crashes: 0, platform: 'talk', receivedAt: 0, steps: [] },
  message: messageOf('1', { text: 'first' }),
}
const after = (seq: number, receivedAt: number, text = `${seq}`): WaitingMessage => ({
  seq,
  receivedAt,
  message: messageOf(`${seq}`, { text }),
})

/** What is gathered long after everything has come, and what shares the answer. */
async function gather(waiting: readonly WaitingMessage[], change: Partial<GatherOptions> = {}): Promise<readonly string[]> {
  const journal: GatherOptions['journal'] = { waiting: async (_, limit) => waiting.slice(0, limit), absorb: async (_, seqs) => seqs }
  const { limits } = talkSpec({ limits: { quietMs: 600, splitMs: 2_000, maxLength: 100 } })
  const options = { journal, limits, settings: {}, belongs: () => true, clock: createFakeClock(1_000_000), ...change }
  return (await gatherMessages(options, claim, signal)).map(({ text }) => text)
}

test('what came after the pause is left out, so that a restart gathers the same again', async () => {
  expect(await gather([after(2, 600), after(3, 1_100), after(4, 1_701), after(5, 1_702)])).toEqual(['first', '2', '3'])
})

test('nothing stands between what is gathered', async () => {
  expect(await gather([after(2, 100), after(3, 200), after(4, 300)], { belongs: ({ text }) => text !== '3' })).toEqual(['first', '2'])
})

test('one turn has at most 4,000 characters', async () => {
  const long = 'x'.repeat(1_995)
  const most = `${long}12345`
  expect(await gather([after(2, 100, long), after(3, 200, most), after(4, 300, '')])).toEqual(['first', long, most, ''])
  expect(await gather([after(2, 100, long), after(3, 200, most), after(4, 300, '1')])).toEqual(['first', long, most])
})

test('each pause is counted from the message before', async () => {
  expect(await gather([after(2, 500), after(3, 1_000), after(4, 1_500), after(5, 2_000)])).toHaveLength(5)
})

test('a person is waited for as long as they write, and no longer than anything could still be added', async () => {
  const clock = createFakeClock(0)
  const waiting: WaitingMessage[] = []
  const journal: GatherOptions['journal'] = { waiting: async () => [...waiting], absorb: async (_, seqs) => seqs }
  const { limits } = talkSpec({ limits: { quietMs: 600 } })
  const belongs = ({ text }: { readonly text: string }) => text !== 'other'
  const gathering = () => {
    const done: number[] = []
    void gatherMessages({ journal, limits, settings: {}, belongs, clock }, claim, signal).then(({ length }) => done.push(length))
    return done
  }
  const done = gathering()
  await clock.advance(500)
  waiting.push(after(2, 500))
  await clock.advance(599)
  expect(done).toEqual([])
  await clock.advance(1)
  expect(done).toEqual([2])
  waiting.push(after(3, 1_100, 'other'))
  const closed = gathering()
  await clock.advance(0)
  expect(closed).toEqual([2])
  waiting.splice(1, 1, ...Array.from({ length: 7 }, (_, at) => after(3 + at, 1_100)))
  const full = gathering()
  await clock.advance(0)
  expect(full).toEqual([8])
})

test('who has said one thing takes nothing else from what waits', async () => {
  const journal: GatherOptions['journal'] = { waiting: async () => [], absorb: () => expect.unreachable() }
  expect(await gather([], { journal })).toEqual(['first'])
})

test('a message that went its own way meanwhile is not said twice', async () => {
  const journal: GatherOptions['journal'] = { waiting: async () => [after(2, 100), after(3, 200)], absorb: async () => [3] }
  expect(await gather([], { journal })).toEqual(['first', '3'])
})

test('the setting of the owner beats the pause of the platform', async () => {
  expect(await gather([after(2, 3_000)], { settings: { batch_ms: 5_000 } })).toEqual(['first', '2'])
  expect(await gather([after(2, 1)], { settings: { batch_ms: 0 } })).toEqual(['first'])
})

test('where nothing is waited for, a message that fills its limit waits for no second part either', async () => {
  const full = { ...claim, message: messageOf('1', { text: 'x'.repeat(90) }) }
  const journal: GatherOptions['journal'] = { waiting: async () => [after(2, 1)], absorb: async (_, seqs) => seqs }
  const { limits } = talkSpec({ limits: { quietMs: 600, splitMs: 2_000, maxLength: 100 } })
  const options = { journal, limits, belongs: () => true, clock: createFakeClock(1_000_000) }
  expect(await gatherMessages({ ...options, settings: { batch_ms: 0 } }, full, signal)).toHaveLength(1)
  expect(await gatherMessages({ ...options, settings: {} }, full, signal)).toHaveLength(2)
})
