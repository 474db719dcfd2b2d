import { expect, test } from 'vitest'
import { listFiles, readText } from './source-files.ts'

const own = 'test/repo/words.test.ts'
/** Words that make a reader stop: a noun serves instead of the first, "again" instead of the second, "its" or "separate" instead of the third. */
const banned = /\bwhoever\b|\banew\b|\bof (?:its|their|our) own\b/i
/** These follow the specification: a change of these texts is a change of the requirement. */
const requirements = 'test/spec/requirements/'

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
  const read = texts.filter((file) => file !== own && !file.startsWith(requirements))
  expect(read.length).toBeGreaterThan(1000)
  expect(read.flatMap(findBanned)).toEqual([])
})

test('a banned word is found in capitals too, and only as a whole word', () => {
  const found = ['Whoever asks', 'begins anew', 'a child of its own', 'a new plugin', 'its own child', 'canewood'].map((line) =>
    banned.test(line),
  )
  expect(found).toEqual([true, true, true, false, false, false])
})
