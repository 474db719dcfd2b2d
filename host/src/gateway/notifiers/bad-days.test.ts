import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { openEventRows } from '#agent/notifiers/event-rows.ts'
import { type NotifierRig, openNotifierRig } from '../testing/notifier-rig.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const quiet = { from: '09:00', to: '12:00', zone: 'UTC' }

/** Lets so many minutes pass, one after the other. */
async function pass({ clock, settle }: NotifierRig, minutes: number): Promise<void> {
  for (let round = 0; round < minutes; round++) {
    await settle()
    await clock.advance(minute)
  }
  await settle()
}

/** More than one round of settling does. */
const settled =
  <T>(rig: NotifierRig, read: () => Promise<T>) =>
  async (): Promise<T> => {
    await rig.settle()
    return await read()
  }

test('a notifier that says that its disk is full is one that has failed, and stops no other event', async () => {
  await using rig = await openNotifierRig()
  rig.hear = async ({ id, data }) => {
    if (id === 'evt_1') throw fail('STORE_FULL', { file: 'mine' })
    return [{ text: String(data) }]
  }
  await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.raise('evt_2', 'dong', 'ses_ann')
  await pass(rig, 8)
  expect([await rig.sent(), rig.heard]).toEqual([['ann: dong'], ['evt_1', 'evt_2', 'evt_1', 'evt_1']])
})

test('what is new is heard before what has failed, and posts that are due before both', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: { ...quiet, to: '10:01' } } }
  await rig.open()
  await rig.raise('evt_quiet', 'quiet', 'ses_ann')
  await rig.settle()
  rig.hear = async ({ id }) => {
    if (id === 'evt_bad') throw fail('INTERNAL', { detail: 'never' })
    return [{ text: id }]
  }
  await rig.raise('evt_bad', '', 'ses_ann')
  await rig.settle()
  for (let index = 0; index < 5; index++) await openEventRows(rig.store.kv).add({ ...ringing, id: `evt_${index}`, at: rig.clock.now() })
  await rig.clock.advance(2 * minute)
  await expect
    .poll(settled(rig, async () => rig.heard))
    .toEqual(['evt_quiet', 'evt_bad', 'evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_bad'])
  expect((await rig.sent()).slice(0, 2)).toEqual(['ann: bell.rung: quiet', 'ann: evt_0'])
})

const ringing = { name: 'bell.rung', data: 'ding', plugin: 'bell', session: 'ses_ann' }

test('while an event is heard for the second time, nobody looks again and again whether it is its time', async () => {
  await using rig = await openNotifierRig()
  let ask: () => void = () => undefined
  let attempts = 0
  rig.hear = () => (++attempts === 1 ? Promise.reject(fail('INTERNAL', { detail: 'once' })) : new Promise((end) => (ask = () => end([]))))
  await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await pass(rig, 1)
  expect([attempts, rig.clock.sleeping()]).toEqual([2, 0])
  ask()
  await rig.settle()
  expect(await rig.store.kv.keys('host.events')).toEqual([])
})

test('an event that has ended the process three times is not heard again', async () => {
  await using rig = await openNotifierRig()
  const rows = openEventRows(rig.store.kv)
  rig.hear = async () => {
    expect(await Promise.all((await rows.keys()).map(rows.read))).toMatchObject([{ id: 'evt_1', attempts: 3 }])
    return []
  }
  await rows.add({ ...ringing, id: 'evt_1', at: rig.clock.now(), attempts: 2 })
  const pump = await rig.open()
  await rows.add({ ...ringing, id: 'evt_3', at: rig.clock.now(), attempts: 3 })
  pump.wake()
  await rig.settle()
  expect([rig.heard, await rows.keys()]).toEqual([['evt_1'], []])
})

test('the end of the gateway in the middle of a hearing is no attempt', async () => {
  await using rig = await openNotifierRig()
  const rows = openEventRows(rig.store.kv)
  rig.hear = () => new Promise((_, reject) => (stop = () => reject(fail('INTERRUPTED'))))
  let stop: () => void = () => undefined
  const pump = await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  const closed = pump.close()
  stop()
  await closed
  const [row] = await Promise.all((await rows.keys()).map(rows.read))
  expect([row?.attempts ?? 0, row?.heardBy]).toEqual([0, []])
})

test('who was switched off for days is not told of what ended then', async () => {
  await using rig = await openNotifierRig()
  const pump = await rig.open()
  await rig.endRun('before')
  await rig.settle()
  rig.settings = { bell: { enabled: false } }
  pump.wake()
  await rig.settle()
  await rig.endRun('between')
  await rig.settle()
  rig.settings = {}
  pump.wake()
  await rig.settle()
  await rig.endRun('after')
  await rig.settle()
  expect((await rig.sent()).map((text) => /"name":"(\w+)"/.exec(text)?.[1])).toEqual(['before', 'after'])
})

test('a post that waits for more than a week, or whose notifier is gone, is not sent', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: quiet } }
  const pump = await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  const [key = ''] = await rig.store.kv.keys('host.posts')
  const post = (await rig.store.kv.get('host.posts', key)) as object
  await rig.store.kv.set('host.posts', `${key}-other`, { ...post, notifier: 'gone' })
  rig.settings = { bell: { enabled: false } }
  await rig.clock.advance(8 * day)
  rig.settings = {}
  pump.wake()
  await rig.settle()
  expect([await rig.sent(), await rig.store.kv.keys('host.posts')]).toEqual([[], []])
})

test('posts go out when quiet hours are taken away, and those of a clock that was ahead when it is right again', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: quiet } }
  const pump = await rig.open()
  await rig.raise('evt_1', 'ding', 'ses_ann')
  await rig.settle()
  pump.wake()
  await rig.settle()
  expect([await rig.sent(), (await rig.store.kv.keys('host.posts')).length]).toEqual([[], 1])
  rig.settings = {}
  pump.wake()
  await rig.settle()
  expect(await rig.sent()).toEqual(['ann: bell.rung: ding'])
  const ahead = rig.clock.now() + 365 * day
  await rig.store.kv.set('host.posts', `${String(ahead).padStart(15, '0')}-x`, {
    ...{ id: 'x', notifier: 'bell', at: ahead, text: 'early', isError: false },
    place: { platform: 'talk', account: 'bot', conversation: 'ann' },
  })
  await openEventRows(rig.store.kv).add({ ...ringing, id: 'evt_2', at: rig.clock.now(), attempts: 1, retryAt: ahead })
  await rig.raise('evt_3', 'dong', 'ses_ann')
  await rig.settle()
  expect(await rig.sent()).toEqual(['ann: bell.rung: ding', 'ann: early', 'ann: bell.rung: dong', 'ann: bell.rung: ding'])
})

test('posts that have waited go out in their order', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { quiet_hours: quiet } }
  rig.hear = async ({ id }) => Array.from({ length: 12 }, (_, index) => ({ text: `${id} ${index}` }))
  await rig.open()
  await rig.raise('evt_b', '', 'ses_ann')
  await rig.clock.advance(1)
  await rig.raise('evt_a', '', 'ses_ann')
  await expect.poll(settled(rig, () => rig.store.kv.keys('host.posts'))).toHaveLength(24)
  await rig.clock.advance(3 * hour)
  await expect.poll(settled(rig, () => rig.store.kv.keys('host.posts'))).toEqual([])
  const numbers = Array.from({ length: 12 }, (_, index) => index)
  expect(await rig.sent()).toEqual(['evt_b', 'evt_a'].flatMap((id) => numbers.map((index) => `ann: ${id} ${index}`)))
})

test('a wish holds also where the conversation is not known yet', async () => {
  await using rig = await openNotifierRig()
  rig.settings = { bell: { deliver: ['talk:4711'], people: { 'talk:4711': 'off' } } }
  await rig.open()
  await rig.raise('evt_1', 'ding')
  await rig.settle()
  expect(await rig.sent()).toEqual([])
})

test('a thousand events of one plugin wait, and those of another have room all the same', async () => {
  await using rig = await openNotifierRig()
  const rows = openEventRows(rig.store.kv)
  const add = (id: string, plugin: string) => rows.add({ ...ringing, id, plugin, at: 1 })
  for (let index = 0; index < 1000; index++) await rig.store.kv.set('host.events', `${String(index).padStart(15, '0')}/bell/x`, {})
  expect([await add('evt_1', 'bell'), await add('evt_1', 'lamp')]).toEqual([false, true])
})
