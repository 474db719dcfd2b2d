import { expect, test } from 'vitest'
import { changeEntry, nextEntry, packQueue, type Queue, removeEntry, unpackQueue } from './queue.ts'

const queue: Queue = [
  { id: 'a', text: 'one' },
  { id: 'b', text: 'two' },
]

test('the first entry is the next one, and only where the session is free', () => {
  expect(nextEntry(queue, true)).toMatchObject({ id: 'a' })
  expect(nextEntry(queue, false)).toBeUndefined()
  expect(nextEntry(removeEntry(queue, 'a'), true)).toMatchObject({ id: 'b' })
})

test.each([{ editing: true }, { sending: true }, { failure: 'refused' }])(
  'an entry with %o holds back itself and what follows',
  (change) => {
    expect(nextEntry(changeEntry(queue, 'a', change), true)).toBeUndefined()
  },
)

test('a failure that is taken away lets the entry go', () => {
  const failed = changeEntry(queue, 'a', { failure: 'refused' })
  expect(nextEntry(changeEntry(failed, 'a', { failure: undefined }), true)).toMatchObject({ id: 'a' })
})

test('over a reload entries keep their ids, and one that was on its way or being edited waits again', () => {
  const kept = unpackQueue(packQueue(changeEntry(changeEntry(queue, 'a', { sending: true }), 'b', { editing: true })))
  expect(kept).toEqual(queue)
})

test.each([null, 'x', '{}', '[1,{"id":3}]'])('a store that holds %s is an empty queue', (text) => {
  expect(unpackQueue(text)).toEqual([])
})
