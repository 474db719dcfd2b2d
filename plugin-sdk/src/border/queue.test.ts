import { expect, test } from 'vitest'
import { fail } from '../contract/errors.ts'
import { Queue } from './queue.ts'

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const done = { done: true, value: undefined }

test('items and readers meet in their order, whichever side comes first', async () => {
  const queue = new Queue()
  queue.push([1])
  expect(await queue.next()).toEqual({ done: false, value: 1 })
  const [second, third] = [queue.next(), queue.next()]
  queue.push([2, 3, 4])
  expect([await second, await third, await queue.next()]).toMatchObject([{ value: 2 }, { value: 3 }, { value: 4 }])
})

test('the end comes after what was pushed, its error is told once, and what comes later is dropped', async () => {
  const queue = new Queue()
  queue.push([1])
  queue.finish(fail('INTERRUPTED'))
  queue.finish()
  queue.push([2])
  expect(await queue.next()).toEqual({ done: false, value: 1 })
  await expect(queue.next()).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(await queue.next()).toEqual(done)
})

test('readers who wait are told of the end', async () => {
  const failed = new Queue()
  const [first, second] = [failed.next(), failed.next()]
  failed.finish(fail('INTERRUPTED'))
  await expect(first).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(await second).toEqual(done)
  const left = new Queue()
  const waiting = left.next()
  left.abandon()
  expect(await waiting).toEqual(done)
})

test('who leaves gets neither what is left nor its error', async () => {
  const queue = new Queue()
  queue.push([1, 2])
  await queue.next()
  queue.finish(fail('INTERRUPTED'))
  queue.abandon()
  expect(await queue.next()).toEqual(done)
})

test('every 128 items that were taken are told, whether they waited or were waited for', async () => {
  const queue = new Queue()
  const told: number[] = []
  queue.onTaken = (count) => told.push(count)
  queue.push(numbers(127))
  for (let count = 0; count < 127; count++) await queue.next()
  expect(told).toEqual([])
  const waiting = queue.next()
  queue.push([1])
  await waiting
  expect(told).toEqual([128])
  queue.push(numbers(128))
  for (let count = 0; count < 128; count++) await queue.next()
  expect(told).toEqual([128, 128])
})

test('what runs more than 512 items ahead of its reader is refused, and not what the reader has taken', async () => {
  const queue = new Queue()
  queue.push(numbers(513))
  expect(() => queue.push([1])).toThrow('further ahead')
  await queue.next()
  queue.push([1])
  expect(() => queue.push([1])).toThrow('further ahead')
})

test('a producer of large items waits for its reader, whatever it says of them', async () => {
  const queue = new Queue()
  let taken = 0
  queue.onTaken = (count) => {
    taken += count
  }
  const large = 'x'.repeat(1024 * 1024)
  for (let item = 0; item < 3; item++) queue.push([large])
  expect(() => queue.push(['one more'])).toThrow('further ahead')
  await queue.next()
  expect(taken).toBe(1)
  queue.push([large])
})
