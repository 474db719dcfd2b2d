import type { Conversation } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Kv } from '#store/kv.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { listChannels, openChannelDirectory } from './channel-directory.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const room: Conversation = { id: 'C1', kind: 'channel', name: 'garden' }

async function openRig() {
  const temporary = await createTemporaryStore()
  const store = await temporary.open()
  const warned: string[] = []
  let writes = 0
  const kv: Kv = {
    ...store.kv,
    set: async (...given) => {
      writes += 1
      await store.kv.set(...given)
    },
  }
  const log = { ...silent, warn: (text: string) => warned.push(text) }
  const open = (from = kv) => openChannelDirectory({ kv: from, now: () => temporary.clock.time, log })
  return { temporary, kv, warned, open, writes: () => writes, [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose]() }
}

test('a conversation is known by what was last seen of it, also to another process', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  await directory.note('talk', 'bot', room)
  rig.temporary.clock.time += 1
  await directory.note('talk', 'bot', { id: 'C1/7', kind: 'thread', name: 'ro\u0007ses\n', parent: 'C1' })
  await directory.note('talk', 'bot', { ...room, name: 'yard' })
  const lastSeen = rig.temporary.clock.time
  const yard = { id: 'C1', account: 'bot', kind: 'channel', name: 'yard', lastSeen }
  expect(await directory.list('talk')).toEqual([
    yard,
    { id: 'C1/7', account: 'bot', kind: 'thread', name: 'roses', parent: 'C1', lastSeen },
  ])
  expect(await listChannels(rig.kv, 'talk')).toEqual(await directory.list('talk'))
  expect(await listChannels(rig.kv, 'other')).toEqual([])
})

test('a message an hour is written down, not each', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  for (let count = 0; count < 5; count++) await directory.note('talk', 'bot', room)
  expect(rig.writes()).toBe(1)
  rig.temporary.clock.time += 3_600_000
  await directory.note('talk', 'bot', room)
  expect(rig.writes()).toBe(2)
  expect((await rig.open().list('talk'))[0]?.lastSeen).toBe(rig.temporary.clock.time)
})

test('what a platform lists changes names, and forgets neither the account nor when somebody wrote', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  await directory.note('talk', 'second', room)
  await directory.fill('talk', 'bot', [
    { ...room, name: 'park' },
    { id: 'C2', kind: 'group' },
  ])
  expect(await directory.list('talk')).toMatchObject([
    { id: 'C1', account: 'second', name: 'park', lastSeen: rig.temporary.clock.time },
    { id: 'C2', account: 'bot', lastSeen: 0 },
  ])
})

test('a platform that lists a conversation without its name does not take away the one that it is known by', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  await directory.note('talk', 'bot', { id: 'D7', kind: 'dm', name: 'Ann' })
  await directory.fill('talk', 'bot', [{ id: 'D7', kind: 'dm' }])
  expect(await directory.list('talk')).toMatchObject([{ id: 'D7', name: 'Ann' }])
})

test('no more than a thousand are kept, and those go that nobody wrote to for the longest time', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  await directory.note('talk', 'bot', room)
  await directory.fill(
    'talk',
    'bot',
    Array.from({ length: 1000 }, (_, index) => ({ id: `L${index}`, kind: 'group' }) as const),
  )
  const kept = await directory.list('talk')
  expect(kept).toHaveLength(1000)
  expect(kept[0]?.id).toBe('C1')
  expect(await listChannels(rig.kv, 'talk')).toHaveLength(1000)
})

test('a platform is read once, again where that failed, and apart from others', async () => {
  await using rig = await openRig()
  let [reads, broken] = [0, true]
  const keys: Kv['keys'] = async (space) => {
    reads += 1
    if (broken) throw new Error('disk busy')
    return rig.kv.keys(space)
  }
  const directory = rig.open({ ...rig.kv, keys })
  await expect(directory.list('talk')).rejects.toThrow('disk busy')
  broken = false
  for (let count = 0; count < 3; count++) await directory.list('talk')
  expect(reads).toBe(2)
  await directory.list('chat')
  expect(reads).toBe(3)
})

test('of those that nobody wrote to for the longest time the first goes, and of what a platform lists a thousand are read', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  const groups = Array.from({ length: 1002 }, (_, index) => ({ id: `L${String(index).padStart(4, '0')}`, kind: 'group' }) as const)
  await directory.fill('talk', 'bot', groups)
  expect((await directory.list('talk')).map(({ id }) => id).slice(-1)).toEqual(['L0999'])
  await directory.fill('talk', 'bot', groups.slice(1000))
  const [first, second, third] = await directory.list('talk')
  expect([first?.id, second?.id, third?.id]).toEqual(['L0002', 'L0003', 'L0004'])
})

test('a name is cut, and what has none or no parent has no place for it', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  await directory.note('talk', 'bot', { id: 'C1', kind: 'channel', name: ` ${'x'.repeat(300)}` })
  await directory.fill('talk', 'bot', [{ id: 'C2', kind: 'channel' }])
  const [named, nameless] = await directory.list('talk')
  expect(named?.name).toBe('x'.repeat(240))
  expect(nameless && Object.keys(nameless).sort()).toEqual(['account', 'id', 'kind', 'lastSeen'])
})

test('what another process has forgotten meanwhile is left out', async () => {
  await using rig = await openRig()
  await rig.open().note('talk', 'bot', room)
  expect(await listChannels({ ...rig.kv, get: async () => undefined }, 'talk')).toEqual([])
})

test('a store that cannot be written harms nobody', async () => {
  await using rig = await openRig()
  const set = async (): Promise<void> => {
    throw new Error('disk full')
  }
  await rig.open({ ...rig.kv, set }).note('talk', 'bot', room)
  expect(rig.warned).toEqual(['a conversation could not be noted'])
})

test('those that were seen at the same time are listed by their ids', async () => {
  await using rig = await openRig()
  const directory = rig.open()
  for (const id of ['C2', 'C1', 'C3']) await directory.note('talk', 'bot', { ...room, id })
  rig.temporary.clock.time += 1
  await directory.note('talk', 'bot', { ...room, id: 'C9' })
  expect((await directory.list('talk')).map(({ id }) => id)).toEqual(['C9', 'C1', 'C2', 'C3'])
})
