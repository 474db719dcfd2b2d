import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createOverheard } from '../conversation/overheard.ts'
import { createEchoes } from './echoes.ts'
import { openJoinedThreads } from './joined-threads.ts'

const message = (id: string, conversation: InboundMessage['conversation'] = { id: 'anna', kind: 'dm' }): InboundMessage => ({
  ...{ id, account: 'bot', conversation, text: `text ${id}`, addressed: false },
  sender: { id: 'anna', isBot: false },
})

test('the last 512 things that were said on a platform are known as our own', () => {
  const echoes = createEchoes()
  for (let n = 0; n <= 512; n++) echoes.note({ platform: 'chat', account: 'bot', conversation: 'anna', id: `${n}` })
  expect(['0', '1', '512', '513'].map((id) => echoes.isOwn('chat', message(id), ''))).toEqual([false, true, true, false])
  expect(echoes.isOwn('other', message('5'), '')).toBe(false)
  // Elsewhere the same number is the message of somebody else.
  expect(echoes.isOwn('chat', message('5', { id: 'bert', kind: 'dm' }), '')).toBe(false)
  expect(echoes.isOwn('chat', { ...message('5'), account: 'second' }, '')).toBe(false)
})

test('in a conversation with oneself the prefix of answers tells them from what one says', () => {
  const echoes = createEchoes()
  const own = { ...message('1'), text: '[bot] hello' }
  expect(echoes.isOwn('chat', own, '[bot] ')).toBe(true)
  expect(echoes.isOwn('chat', { ...own, conversation: { id: 'room', kind: 'group' } }, '[bot] ')).toBe(false)
  expect([echoes.isOwn('chat', own, ''), echoes.isOwn('chat', message('1'), '[bot] ')]).toEqual([false, false])
})

test('a receipt is noted before anybody waits for it', async () => {
  await using place = await createTemporaryStore()
  const { journal } = await place.open()
  const echoes = createEchoes()
  const listened = echoes.listen(journal)
  await listened.accept('chat', message('1'))
  const claim = await listened.claim('boot')
  if (!claim) throw new Error('nothing was accepted')
  await listened.answer(claim, { outbound: [{ text: 'hi' }], turn: null })
  const send = await listened.claimSend('boot')
  if (!send) throw new Error('nothing is to be sent')
  await listened.settleSend(send, { status: 'sent', platformId: '77' })
  expect(echoes.isOwn('chat', message('77'), '')).toBe(true)
})

test('threads that were joined are known after a restart, the last 500 of each platform', async () => {
  await using place = await createTemporaryStore()
  const { kv } = await place.open()
  const thread = (n: number) => message('1', { id: `t${n}`, kind: 'thread' })
  const threads = await openJoinedThreads(kv, silentLog)
  for (let n = 0; n <= 500; n++) threads.join('chat', thread(n))
  threads.join('chat', message('1', { id: 'room', kind: 'group' }))
  // Stored in the same commit as the threads, or after it.
  await kv.set('test', 'after', true)
  const { kv: later } = await place.open()
  const again = await openJoinedThreads(later, silentLog)
  expect([0, 1, 500].map((n) => again.has('chat', thread(n)))).toEqual([false, true, true])
  expect(again.has('chat', message('1', { id: 'room', kind: 'group' }))).toBe(false)
  expect([again.has('other', thread(1)), again.has('chat', { ...thread(1), account: 'second' })]).toEqual([false, false])
})

test('of what was overheard in a room the last fifty messages are given once', () => {
  const overheard = createOverheard()
  const room = { id: 'room', kind: 'group' } as const
  for (let n = 0; n < 60; n++) overheard.add('chat', message(`${n}`, room))
  expect(overheard.take('chat', message('x', { ...room, id: 'other' }))).toEqual([])
  const said = overheard.take('chat', message('x', room))
  expect([said.length, said[0]?.id, said.at(-1)?.id]).toEqual([50, '10', '59'])
  expect(overheard.take('chat', message('x', room))).toEqual([])
})

test('what is said again is remembered as the newest, and what failed is not remembered', async () => {
  const echoes = createEchoes()
  const note = (id: string): void => echoes.note({ platform: 'chat', account: 'bot', conversation: 'anna', id })
  note('first')
  for (let n = 0; n < 511; n++) note(`${n}`)
  note('first')
  note('one more')
  expect([echoes.isOwn('chat', message('first'), ''), echoes.isOwn('chat', message('0'), '')]).toEqual([true, false])
  const settled: unknown[] = []
  const listened = echoes.listen({ settleSend: async (_send: unknown, result: unknown) => void settled.push(result) } as never)
  const failed = { status: 'failed', platformId: '9999' } as never
  await listened.settleSend({ platform: 'chat', message: { account: 'bot', conversation: 'anna' } } as never, failed)
  expect([echoes.isOwn('chat', message('9999'), ''), settled]).toEqual([false, [failed]])
})

test('a prefix of nothing but spaces tells nothing, and the space behind one need not be there', () => {
  const echoes = createEchoes()
  const own = { ...message('1'), text: '[bot]' }
  expect([echoes.isOwn('chat', own, '  '), echoes.isOwn('chat', own, '[bot] ')]).toEqual([false, true])
  expect(echoes.isOwn('chat', { ...own, text: ' [bot]' }, ' [bot] ')).toBe(true)
})

test('a thread is stored once, what was stored otherwise is passed over, and a full disk is told', async () => {
  const writes: unknown[] = []
  const warned: unknown[] = []
  const values: Record<string, unknown> = { chat: ['["bot","t1"]', 7, null], other: 'broken' }
  const kv = {
    keys: async () => Object.keys(values),
    get: async (_space: string, key: string) => values[key],
    set: async (_space: string, _key: string, value: unknown) => {
      writes.push(value)
      throw new Error('the disk is full')
    },
  }
  const threads = await openJoinedThreads(kv as never, { ...silentLog, warn: (text) => void warned.push(text) })
  const thread = (id: string) => message('1', { id, kind: 'thread' })
  expect([threads.has('chat', thread('t1')), threads.has('other', thread('broken'))]).toEqual([true, false])
  threads.join('chat', thread('t1'))
  expect(writes).toEqual([])
  threads.join('chat', thread('t2'))
  threads.join('chat', thread('t2'))
  expect(writes).toEqual([['["bot","t1"]', '["bot","t2"]']])
  await new Promise((resolve) => setImmediate(resolve))
  expect(warned).toEqual(['a thread could not be kept'])
})
