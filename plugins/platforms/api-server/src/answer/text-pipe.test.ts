import { expect, test } from 'vitest'
import { createTextPipe } from './text-pipe.ts'

test('what waits is taken as one piece, and the end ends the reader', async () => {
  const pipe = createTextPipe()
  pipe.write('a')
  pipe.write('b')
  const reader = pipe[Symbol.asyncIterator]()
  expect(await reader.next()).toEqual({ value: 'ab', done: false })
  const waiting = reader.next()
  pipe.write('c')
  expect(await waiting).toEqual({ value: 'c', done: false })
  pipe.write('d')
  pipe.end()
  pipe.write('never')
  expect(await reader.next()).toEqual({ value: 'd', done: false })
  expect((await reader.next()).done).toBe(true)
})

test('it is full until the reader has taken what waits', async () => {
  const pipe = createTextPipe(3)
  pipe.write('abc')
  expect(pipe.full).toBe(false)
  pipe.write('d')
  expect(pipe.full).toBe(true)
  const drained = pipe.drained()
  const reader = pipe[Symbol.asyncIterator]()
  expect((await reader.next()).value).toBe('abcd')
  await drained
  expect(pipe.full).toBe(false)
})

test('a reader that leaves frees a waiting writer', async () => {
  const pipe = createTextPipe(1)
  pipe.write('a')
  const reader = pipe[Symbol.asyncIterator]()
  await reader.next()
  pipe.write('bcd')
  const drained = pipe.drained()
  await reader.return?.()
  await drained
  expect([pipe.full, pipe.abandoned]).toEqual([false, true])
})

test('a reader that was given up frees the writer, and gets the error when it comes back', async () => {
  const pipe = createTextPipe(1)
  pipe.write('ab')
  const drained = pipe.drained()
  pipe.giveUp(new Error('too late'))
  await drained
  expect([pipe.full, pipe.abandoned]).toEqual([false, true])
  await expect(pipe[Symbol.asyncIterator]().next()).rejects.toThrow('too late')
})
