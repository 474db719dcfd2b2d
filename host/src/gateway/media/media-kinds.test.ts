import { expect, test } from 'vitest'
import { folderOf, folderOfBlob, kindOfMime } from './media-kinds.ts'

test.each([
  ['image/png', 'image', 'images'],
  ['audio/ogg', 'audio', 'audio'],
  ['video/mp4', 'video', 'videos'],
  ['application/pdf', 'document', 'documents'],
  ['text/plain', 'document', 'documents'],
  ['', 'document', 'documents'],
])('%j is a file of the kind %s and lies in %s', (mime, kind, folder) => {
  expect(kindOfMime(mime)).toBe(kind)
  expect(folderOf(kindOfMime(mime)).folder).toBe(folder)
})

test.each([
  ['img_0123456789ab.png', 'images'],
  ['doc_0123456789ab_notes.pdf', 'documents'],
  ['audio_0123456789ab', 'audio'],
  ['video_0123456789ab.mp4', 'videos'],
  ['doc_0123456789ab/../x', undefined],
  ['x_img_0123456789ab.png', undefined],
  ['img_01234.png', undefined],
])('the cache keeps %s in %s', (name, folder) => {
  expect(folderOfBlob(name)).toBe(folder)
})
