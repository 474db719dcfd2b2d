import type { Notice } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { AgentEnd } from '#tools/tool-turn.ts'
import { openLeftBehind } from './left-behind.ts'

const end: AgentEnd = {
  ...{ session: 'ses_c', status: 'completed', exitReason: 'completed', text: 'seven', model: 'm', toolTrace: [] },
  ...{ tokens: { input: 1, output: 1 }, apiCalls: 1, durationMs: 1 },
}
const child = { session: 'ses_c', root: 'ses_talk', goal: 'count', spawned: 2 }
const statusIn = (text: string | undefined): unknown => JSON.parse(text?.split('\n')[1] ?? '{}').status

async function open() {
  const place = await createTemporaryStore()
  const notices: Notice[] = []
  const start = async () => {
    const store = await place.open()
    return { store, left: openLeftBehind({ ...store, tell: (notice) => notices.push(notice), clock: systemClock, log: silentLog }) }
  }
  return { place, notices, start }
}

test('what came of a child agent is told at once, and heard by the next turn of its session until one has kept it', async () => {
  const { place, notices, start } = await open()
  await using _place = place
  const { left, store } = await start()
  const behind = left.of('ses_talk', () => undefined)
  const kept = await behind.keep(child)
  expect([behind.working(), left.of('ses_other', () => undefined).working()]).toEqual([1, 0])
  expect((await left.take('ses_talk')).texts).toEqual([])
  await kept.tell(end, 5)
  expect([behind.working(), notices]).toEqual([
    0,
    [{ session: 'ses_talk', kind: 'result', text: 'A child agent has ended (completed): count\n\nseven' }],
  ])
  // It is no work of a gateway.
  expect([await store.journal.claim('boot'), await store.journal.pending()]).toEqual([null, []])
  expect(await store.journal.recover('boot', { alone: true })).toEqual({ messages: 0, sends: 0, failed: [] })
  expect((await left.take('ses_other')).texts).toEqual([])
  const first = await left.take('ses_talk')
  expect([first.texts.map(statusIn), first.spawned]).toEqual([['completed'], 5])
  await first.settle(false)
  const second = await left.take('ses_talk')
  expect(second.texts).toEqual(first.texts)
  await second.settle(true)
  expect((await left.take('ses_talk')).texts).toEqual([])
  await left.close()
})

test('the end of the program interrupts it; one whose program was killed is lost when its lease is over, and one that works is not', async () => {
  const { place, start } = await open()
  await using _place = place
  const first = await start()
  const behind = first.left.of('ses_talk', () => undefined)
  const [one, two] = [await behind.keep(child), await behind.keep({ ...child, session: 'ses_d', goal: 'two' })]
  const second = await start()
  expect((await second.left.take('ses_talk')).texts).toEqual([])
  const closing = first.left.close()
  expect([one.signal.aborted, two.signal.aborted]).toEqual([true, true])
  await one.tell({ ...end, status: 'interrupted' }, 1)
  await two.tell(end, 1)
  await closing
  expect((await second.left.take('ses_talk')).texts.map(statusIn)).toEqual(['interrupted', 'completed'])
  // As a process leaves it that was killed: a place, and no lease.
  await second.store.journal.keepPlaceIn('ses_killed', 'boot_dead', { session: 'ses_k', goal: 'three', spawned: 1 })
  expect((await second.left.take('ses_killed')).texts.map(statusIn)).toEqual(['lost'])
  await second.left.close()
})
