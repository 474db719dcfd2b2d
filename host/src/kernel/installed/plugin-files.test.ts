import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatFileList, hashFiles, hashOf, parseFileList } from './plugin-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'files-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('every file is listed with its hash, sorted by its path, folders are not, and links are what they say', () => {
  for (const name of ['z', 'dist', 'dist/deep']) mkdirSync(join(root, name))
  for (const name of ['dist/deep/c.js', 'b.js', 'z/a.js', 'dist/a.js']) writeFileSync(join(root, name), name)
  symlinkSync('/etc/passwd', join(root, 'link'))
  const files = hashFiles(root)
  expect(files).toEqual([
    ...['b.js', 'dist/a.js', 'dist/deep/c.js'].map((path) => ({ path, hash: hashOf(path) })),
    ...[
      { path: 'link', hash: hashOf('link to /etc/passwd') },
      { path: 'z/a.js', hash: hashOf('z/a.js') },
    ],
  ])
  expect(formatFileList(files).split('\n')[0]).toBe(`${hashOf('b.js')}  b.js`)
})

test('a list is read as it was written', () => {
  const files = [
    { path: 'a b.js', hash: hashOf('1') },
    { path: 'dist/c.js', hash: hashOf('2') },
  ]
  expect(parseFileList(formatFileList(files))).toEqual(files)
})
