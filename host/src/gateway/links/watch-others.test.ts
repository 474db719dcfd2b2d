import { expect, test } from 'vitest'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { watchOthers } from './watch-others.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const room = { platform: 'talk', account: 'bot', conversation: 'C1' }

test('what another process writes is seen once, what this one writes is not', async () => {
  await using place = await createTemporaryStore()
  const [own, other] = [await place.open(), await place.open()]
  const stop = new AbortController()
  const rounds = [
    () => own.journal.post(room, [{ text: 'a' }], 'msg_1'),
    () => other.journal.post(room, [{ text: 'b' }], 'msg_2'),
    async () => undefined,
    () => other.kv.set('space', 'key', 1),
    async () => stop.abort(),
  ]
  const seen: number[] = []
  let round = 0
  const clock = { now: () => 0, sleep: async () => void (await rounds[round++]?.()) }
  await watchOthers({ store: own, onWritten: () => seen.push(round), clock, log: silent, signal: stop.signal })
  expect(seen).toEqual([2, 4])
})

test('a store that cannot be read is looked at again', async () => {
  const stop = new AbortController()
  const warned: string[] = []
  let asked = 0
  const isWrittenElsewhere = (): boolean => {
    asked += 1
    if (asked === 1) throw new Error('locked')
    stop.abort()
    return true
  }
  let written = 0
  const log = { ...silent, warn: (text: string) => warned.push(text) }
  const clock = { now: () => 0, sleep: async () => undefined }
  await watchOthers({ store: { isWrittenElsewhere }, onWritten: () => written++, clock, log, signal: stop.signal })
  expect([warned.length, written]).toEqual([1, 1])
})
