import { expect, test } from 'vitest'
import { createMemory } from './memory.ts'

test('of what came and went the newest is kept', () => {
  const memory = createMemory()
  for (let index = 0; index < 600; index += 1) {
    memory.addOwn(index)
    memory.addText(String(index), `text ${index}`)
  }
  expect([memory.isOwn(599, ''), memory.isOwn(88, ''), memory.isOwn(87, '')]).toEqual([true, true, false])
  expect([memory.textOf('599'), memory.textOf('88'), memory.textOf('87')]).toEqual(['text 599', 'text 88', ''])
})

test('what is being sent is ours before its time is known, and no longer', async () => {
  const memory = createMemory()
  let finish = (): void => undefined
  const sending = memory.during('hello', new Promise<void>((resolve) => (finish = resolve)))
  expect([memory.isOwn(1, 'hello'), memory.isOwn(1, 'other')]).toEqual([true, false])
  finish()
  await sending
  expect(memory.isOwn(1, 'hello')).toBe(false)
  await expect(memory.during('lost', Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  expect(memory.isOwn(1, 'lost')).toBe(false)
})
