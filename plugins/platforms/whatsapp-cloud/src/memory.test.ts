import { expect, test } from 'vitest'
import { createMemory } from './memory.ts'

test('the last message and the words of messages are known, of the last thousand', () => {
  const memory = createMemory()
  for (let count = 0; count <= 1000; count += 1) memory.rememberMessage('ann', `id-${count}`, `text ${count}`)
  expect(memory.lastMessage('ann')).toBe('id-1000')
  expect(memory.lastMessage('bob')).toBeUndefined()
  expect([memory.text('id-0'), memory.text('id-1')]).toEqual([undefined, 'text 1'])
  expect(memory.buttons('id-1')).toEqual([])
})

test('a status is waited for, or the wait is given up', async () => {
  const memory = createMemory()
  const waiting = memory.awaitStatus('key-1', new AbortController().signal)
  memory.rememberStatus('key-2', 'wamid.2', 'no')
  memory.rememberStatus('key-1', 'wamid.1', undefined)
  expect(await waiting).toEqual({ id: 'wamid.1', failure: undefined })
  expect(await memory.awaitStatus('key-2', new AbortController().signal)).toEqual({ id: 'wamid.2', failure: 'no' })
  const giveUp = new AbortController()
  const never = memory.awaitStatus('key-3', giveUp.signal)
  giveUp.abort(new Error('enough'))
  await expect(never).rejects.toThrow('enough')
  await expect(memory.awaitStatus('key-3', AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
})
