import { expect, test } from 'vitest'
import { createEventQueue } from './event-queue.ts'

test('events come in order, whether they were pushed before or while reading', async () => {
  const queue = createEventQueue<number>(() => undefined)
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
  const queue = createEventQueue<number>(() => undefined)
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
  const queue = createEventQueue<number>(() => (abandoned = true))
  queue.push(1)
  for await (const _ of queue) break
  expect(abandoned).toBe(true)
})
