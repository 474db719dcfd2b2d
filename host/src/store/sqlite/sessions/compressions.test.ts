import type { ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Compression, TurnRows } from '../../sessions.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

const say = (role: 'user' | 'assistant', text: string): ModelMessage => ({ role, parts: [{ type: 'text', text }] })
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const create = { key: 'k', source: 'cli', provider: 'p', model: 'm', system: '', tools: '[]' }
const turn = (name: string): readonly ModelMessage[] => [say('user', `ask ${name}`), say('assistant', `answer ${name}`)]
const rows = (name: string, more: Partial<TurnRows> = {}): TurnRows => ({
  ...{ session: { id: 'ses_a', create }, messages: turn(name), usage, calls: 1, at: 1 },
  ...more,
})
const notes = [say('user', 'notes on it'), say('assistant', 'answer one')]
const compression = (upTo: number, messages = notes): Compression => ({
  upTo,
  messages,
  reason: 'threshold',
  tokensBefore: 900,
  tokensAfter: 90,
})

test('a model hears the newest compression and what came after it; people see everything', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  await sessions.commit(rows('one', { context: 900 }))
  await sessions.commit(rows('two', { compressions: [compression(2)], context: 90 }))
  await sessions.commit(rows('three'))
  expect(await sessions.heard('ses_a')).toEqual([...notes, ...turn('two'), ...turn('three')])
  const whole = ['one', 'two', 'three'].flatMap(turn)
  expect(await sessions.history('ses_a')).toEqual(whole)
  expect(await sessions.search('one', { limit: 5 })).toHaveLength(2)
  const exported: unknown[] = []
  for await (const line of sessions.export('ses_a')) if (line.type === 'message') exported.push(line.message)
  expect(exported).toEqual(whole)
  // A turn that made no request does not change what is known of its length.
  expect(await sessions.find('ses_a')).toMatchObject({ messages: 6, context: 90 })
  const other = [say('user', 'newer notes'), say('assistant', 'answer two')]
  await sessions.commit({ ...rows('', { compressions: [compression(4, other)] }), messages: [] })
  expect(await sessions.heard('ses_a')).toEqual([...other, ...turn('three')])
  expect(await sessions.compressions('ses_a')).toBe(2)
})

test('one that stands for more messages than there are is left out, with its session untouched', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  await sessions.commit(rows('one', { compressions: [compression(3)] }))
  expect([await sessions.compressions('ses_a'), await sessions.heard('ses_a')]).toEqual([0, turn('one')])
})

test('what is cut off takes the compressions with it that stand for it, and a deleted session leaves none', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  await sessions.commit(rows('one'))
  await sessions.commit(rows('two', { compressions: [compression(2)], context: 50 }))
  await sessions.commit(rows('three', { compressions: [compression(4)], context: 60 }))
  await sessions.truncate('ses_a', 2)
  expect([await sessions.compressions('ses_a'), await sessions.heard('ses_a')]).toEqual([1, notes])
  expect(await sessions.find('ses_a')).toMatchObject({ messages: 2, context: null })
  await sessions.delete('ses_a')
  await sessions.commit(rows('one'))
  expect([await sessions.compressions('ses_a'), await sessions.heard('ses_a')]).toEqual([0, turn('one')])
})
