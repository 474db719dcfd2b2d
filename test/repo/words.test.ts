import { expect, test } from 'vitest'
import { listFiles, readText } from './source-files.ts'

const own = 'test/repo/words.test.ts'
/** Words that make a reader stop: a noun serves instead of the first, "again" instead of the second. */
const banned = /\bwhoever\b|\banew\b/i

const texts = [
  'README.md',
  ...['host', 'plugin-sdk', 'plugins', 'test', '.ci'].flatMap((folder) => listFiles(folder, /\.(?:[cm]?[jt]s|md)$/)),
]

function findBanned(file: string): readonly string[] {
  return readText(file)
    .split('\n')
    .flatMap((line, index) => (banned.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
}

test('comments, titles of tests, pages and messages do without words that need a second read', () => {
  const read = texts.filter((file) => file !== own)
  expect(read.length).toBeGreaterThan(1000)
  expect(read.flatMap(findBanned)).toEqual([])
})

test('a banned word is found in capitals too, and only as a whole word', () => {
  const found = ['Whoever asks', 'begins anew', 'a new plugin', 'canewood'].map((line) => banned.test(line))
  expect(found).toEqual([true, true, false, false])
})
