import { expect, test } from 'vitest'
import type { PromptFile } from '../../../src/rpc/protocol.ts'
import { type DraftStore, keepDraftFiles, noFiles, readDraftFiles } from './draft-files.ts'

const key = 'files of a draft'
const notes: PromptFile = { name: 'notes.md', text: 'Buy milk.' }
const photo: PromptFile = { name: 'photo.png', image: 'data:image/png;base64,AAAA', preview: 'data:image/jpeg;base64,BB' }

/** A browser with room for so many characters in one entry. */
function openStore(room = Number.POSITIVE_INFINITY): DraftStore & { readonly size: () => number } {
  const entries = new Map<string, string>()
  return {
    size: () => entries.size,
    getItem: (name) => entries.get(name) ?? null,
    removeItem: (name) => void entries.delete(name),
    setItem: (name, text) => {
      if (text.length > room) throw new Error('QuotaExceededError')
      entries.set(name, text)
    },
  }
}

test('files come back as they were, and a message that was sent leaves nothing', () => {
  const store = openStore()
  keepDraftFiles(store, key, { ...noFiles, files: [photo, notes] })
  expect(readDraftFiles(store, key)).toEqual({ files: [photo, notes], reading: [], problems: [] })
  keepDraftFiles(store, key, noFiles)
  expect([readDraftFiles(store, key), store.size()]).toEqual([noFiles, 0])
})

test('what the browser has no room for is named when somebody comes back, and the rest is there', () => {
  const store = openStore(200)
  keepDraftFiles(store, key, { ...noFiles, files: [notes, { name: 'book.txt', text: 'x'.repeat(300) }] })
  const { files, problems } = readDraftFiles(store, key)
  expect(files).toEqual([notes])
  expect(problems).toEqual([expect.stringMatching(/^book\.txt is not here any more: .* Add it again\.$/)])
})

test('where not even the names fit, nothing of before comes back', () => {
  const store = openStore(100)
  keepDraftFiles(store, key, { ...noFiles, files: [notes] })
  keepDraftFiles(store, key, { ...noFiles, files: [{ name: 'x'.repeat(200), text: '' }] })
  expect([readDraftFiles(store, key), store.size()]).toEqual([noFiles, 0])
})

test('a file that was still being read is named, too', () => {
  const store = openStore()
  keepDraftFiles(store, key, { files: [notes], reading: ['photo.png'], problems: [] })
  expect(readDraftFiles(store, key)).toMatchObject({
    files: [notes],
    reading: [],
    problems: [expect.stringMatching(/^photo\.png is not here/)],
  })
})

test('what stands in the store and is no file is left out', () => {
  for (const text of [
    'x',
    'null',
    '3',
    '[]',
    '{"files":{},"names":"a"}',
    '{"files":[1,null,{"name":3},{"name":"a"},{"name":"a","text":1}],"names":[2]}',
  ]) {
    const store = openStore()
    store.setItem(key, text)
    expect(readDraftFiles(store, key), text).toEqual(noFiles)
  }
})
