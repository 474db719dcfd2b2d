import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { HostEvent } from '#agent/notifiers/plugin-notifiers.ts'
import { specOf } from '#store/testing/jobs-contract.ts'
import { openNotifierRig } from '../testing/notifier-rig.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

test('an event goes to the conversation that it is about, and is forgotten then', async () => {
  await using rig = await openNotifierRig()
  await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.raise('evt_2', 'dong')
  await rig.settle()
  expect(await rig.sent()).toEqual(['ann: bell.rung: ding'])
  expect([rig.heard, await rig.store.kv.keys('host.events')]).toEqual([['evt_1', 'evt_2'], []])
})

test('an event of a time in which no gateway ran is heard at the next start, one older than a week is not', async () => {
  await using rig = await openNotifierRig()
  await rig.raise('evt_old', 'old', 'ses_ann')
  await rig.clock.advance(6.5 * day)
  await rig.raise('evt_young', 'young', 'ses_ann')
  await rig.clock.advance(day)
  await rig.open()
  expect([await rig.sent(), await rig.store.kv.keys('host.events')]).toEqual([['ann: bell.rung: young'], []])
})

test('an event that is heard again after a kill adds nothing to the outbox', async () => {
  await using rig = await openNotifierRig()
  rig.hear = async () => [{ text: 'one' }, { text: 'two' }]
  await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  // As if the gateway had died before it forgot the event.
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  expect([rig.heard, await rig.sent()]).toEqual([
    ['evt_1', 'evt_1'],
    ['ann: one', 'ann: two'],
  ])
})

test('the end of a job is an event, also of one that ended after others; what was over before the first start is none', async () => {
  await using rig = await openNotifierRig()
  const { store, clock } = rig
  rig.hear = async ({ data }) => [{ text: JSON.stringify(data) }]
  await rig.endRun('old')
  const { job } = await store.jobs.add(specOf({ name: 'long', origin: 'agent:main:talk:dm:bot:ann' }), clock.now())
  const long = await store.jobs.claim(job.id, { dueAt: clock.now(), nextAt: null, collapsed: 0 }, 'boot')
  const pump = await rig.open()
  await rig.endRun('short')
  await rig.settle()
  await pump.close()
  if (long) await store.jobs.conclude(long, { state: 'ok', output: 'done', session: null, error: null, delivery: 'none' }, 9)
  await rig.open()
  expect((await rig.sent()).map((text) => JSON.parse(text.replace('ann: ', '')))).toMatchObject([
    { name: 'short', state: 'failed', text: expect.stringContaining('no water') },
    { name: 'long', state: 'ok', text: 'done' },
  ])
})

test('what ends in the background is an event where people may hear of it, and its start is none', async () => {
  await using rig = await openNotifierRig()
  await rig.open()
  const settled = async (): Promise<readonly string[]> => {
    await rig.settle()
    return await rig.sent()
  }
  rig.notice({ session: 'ses_room', kind: 'started', text: 'It runs.' })
  rig.notice({ session: 'ses_room', kind: 'result', text: 'It is done.' })
  await expect.poll(settled).toEqual(['room: background.end: {"kind":"result","text":"It is done."}'])
})

/** As the gateway tells of a question in Ann's conversation. */
const questionOf = (id: string, at: number, text = 'Which way?'): HostEvent => ({
  ...{ id, question: id, at, origin: 'agent:main:talk:dm:bot:ann' },
  name: 'question.waiting',
  data: { kind: 'clarify', text },
})

test('a question is told while it waits, once; one that was answered before is no news, nor one that a killed gateway asked', async () => {
  await using rig = await openNotifierRig()
  await rig.announce(questionOf('ask_killed', rig.clock.now()))
  const pump = await rig.open()
  rig.questions.add('ask_1')
  await rig.announce(questionOf('ask_answered', rig.clock.now()))
  await rig.announce(questionOf('ask_1', rig.clock.now()))
  await rig.settle()
  await pump.close()
  await rig.open()
  expect(await rig.sent()).toEqual(['ann: question.waiting: {"kind":"clarify","text":"Which way?"}'])
  expect([rig.heard, await rig.store.kv.keys('host.events')]).toEqual([['ask_1'], []])
})

test('a question that is answered in quiet hours is not told at their end, and one that waits still is', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: { from: '09:00', to: '12:00', zone: 'UTC' } } }
  await rig.open()
  for (const id of ['ask_1', 'ask_2']) {
    rig.questions.add(id)
    await rig.announce(questionOf(id, rig.clock.now(), id))
  }
  await rig.settle()
  expect(await rig.store.kv.keys('host.posts')).toHaveLength(2)
  rig.questions.delete('ask_1')
  await rig.clock.advance(3 * hour)
  await rig.settle()
  expect(await rig.sent()).toEqual(['ann: question.waiting: {"kind":"clarify","text":"ask_2"}'])
  expect(await rig.store.kv.keys('host.posts')).toEqual([])
})

test('the settings say where posts go; each place gets one, and one that is not there keeps the others from nothing', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { deliver: ['origin', 'nowhere', 'talk:ann', 'all', 'local'] } }
  await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  expect(await rig.sent()).toEqual(['ann: bell.rung: ding', 'home: bell.rung: ding'])
})

test('in quiet hours posts wait, also over a restart and by the settings of their end', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: { from: '09:00', to: '12:00', zone: 'UTC' } } }
  const pump = await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  expect([await rig.sent(), await rig.store.kv.keys('host.posts')]).toEqual([[], [expect.stringContaining('evt_1')]])
  await rig.clock.advance(hour)
  await pump.close()
  await rig.open()
  await rig.clock.advance(hour - minute)
  await rig.settle()
  expect(await rig.sent()).toEqual([])
  rig.settings = { bell: { quiet_hours: { from: '09:00', to: '12:30', zone: 'UTC' } } }
  await rig.clock.advance(2 * minute)
  await rig.settle()
  expect(await rig.sent()).toEqual([])
  await rig.clock.advance(hour)
  await rig.settle()
  expect([await rig.sent(), await rig.store.kv.keys('host.posts')]).toEqual([['ann: bell.rung: ding'], []])
})

test('a post that waited and cannot be sent keeps those behind it from nothing', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: { from: '09:00', to: '12:00', zone: 'UTC' } } }
  await rig.store.kv.set('host.posts', `${'0'.repeat(15)}-broken`, { notifier: 'bell' })
  await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  await rig.clock.advance(3 * hour)
  await rig.settle()
  expect([await rig.sent(), await rig.store.kv.keys('host.posts')]).toEqual([['ann: bell.rung: ding'], []])
})

test('a person decides for the direct conversation, and nobody for a group', async () => {
  await using rig = await openNotifierRig()
  rig.hear = async ({ data }) => [{ text: String(data), isError: data === 'bad' }]
  await rig.open()
  const tell = async (wish: 'all' | 'errors' | 'off', session: string): Promise<void> => {
    rig.settings = { bell: { people: { 'talk:ann': wish, 'talk:room': wish } } }
    for (const word of ['good', 'bad']) await rig.raise(`${wish}_${session}_${word}`, word, session)
    await rig.settle()
  }
  await tell('off', 'ses_ann')
  expect(await rig.sent()).toEqual([])
  await tell('errors', 'ses_ann')
  expect(await rig.sent()).toEqual(['ann: bad'])
  await tell('all', 'ses_ann')
  await tell('off', 'ses_room')
  expect((await rig.sent()).slice(1)).toEqual(['ann: good', 'ann: bad', 'room: good', 'room: bad'])
})

test('one that fails hears the event again, three times in all', async () => {
  await using rig = await openNotifierRig()
  let failures = 2
  rig.hear = async ({ data }) => {
    if (failures-- > 0) throw fail('INTERNAL', { detail: 'not now' })
    return [{ text: String(data) }]
  }
  await rig.open()
  await rig.raise('evt_1', 'at last', 'ses_ann')
  for (let round = 0; round < 4; round++) {
    await rig.settle()
    await rig.clock.advance(minute)
  }
  await rig.settle()
  expect([rig.heard.length, await rig.sent()]).toEqual([3, ['ann: at last']])
  failures = 9
  await rig.raise('evt_2', 'never', 'ses_ann')
  for (let round = 0; round < 6; round++) {
    await rig.settle()
    await rig.clock.advance(minute)
  }
  expect([rig.heard.length, await rig.store.kv.keys('host.events')]).toEqual([6, []])
})

test('without a notifier nothing is read, nothing is written and nothing is waited for', async () => {
  await using rig = await openNotifierRig()
  const hear = rig.hear
  rig.hear = undefined
  const pump = await rig.open()
  await rig.endRun('early')
  await rig.settle()
  expect([rig.clock.sleeping(), await rig.store.kv.keys('host.notifiers'), rig.heard]).toEqual([0, [], []])
  // A reload switches one on: what was over then is no news.
  rig.hear = hear
  pump.wake()
  await rig.settle()
  await rig.endRun('late')
  await rig.settle()
  expect(await rig.sent()).toEqual([expect.stringContaining('"late"')])
})
