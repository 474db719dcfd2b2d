import { expect, test } from 'vitest'
import { createEventQueue } from './event-queue.ts'

const open = (onAbandon: () => void = () => undefined) => createEventQueue<number>({ onAbandon, weigh: (event) => event, most: 5 })

test('events come in order, whether they were pushed before or while reading', async () => {
  const queue = open()
  queue.push(1)
  queue.push(2)
  const seen: number[] = []
  const reading = (async () => {
    for await (const event of queue) seen.push(event)
  })()
  await Promise.resolve()
  queue.push(3)
  queue.end()
  await reading
  expect(seen).toEqual([1, 2, 3])
})

test('the reader gets what was pushed before the failure, then the failure', async () => {
  const queue = open()
  queue.push(1)
  queue.end(new Error('broken'))
  const seen: number[] = []
  await expect(
    (async () => {
      for await (const event of queue) seen.push(event)
    })(),
  ).rejects.toThrow('broken')
  expect(seen).toEqual([1])
})

test('a reader that stops early abandons the work', async () => {
  let abandoned = false
  const queue = open(() => {
    abandoned = true
  })
  queue.push(1)
  for await (const _ of queue) break
  expect(abandoned).toBe(true)
})

test('a reader that has read all abandons nothing', async () => {
  const queue = open(() => expect.unreachable())
  queue.push(1)
  queue.end()
  for await (const event of queue) expect(event).toBe(1)
})

test('the writer waits for a reader that is slower, until it has taken what waits or has left', async () => {
  const queue = open()
  for (const event of [3, 2]) queue.push(event)
  expect(queue.room()).toBeUndefined()
  queue.push(1)
  const first = queue.room()
  const reader = queue[Symbol.asyncIterator]()
  expect((await reader.next()).value).toBe(3)
  await first
  queue.push(6)
  const second = queue.room()
  await reader.return?.()
  await second
  queue.push(6)
  expect(queue.room()).toBeUndefined()
})
