import { expect, test } from 'vitest'
import { findFolder } from './find-folder.ts'

test.each([
  ['a path', { path: '/etc/secret/key' }, '/etc/secret'],
  ['a path deep inside', { files: [{ name: 'x' }, { name: '/etc/secret' }] }, '/etc/secret'],
  ['another path', { path: '/work/notes' }, undefined],
  ['nothing that is text', { count: 3, flag: null }, undefined],
])('%s is found in the arguments or not', (_name, args, folder) => {
  expect(findFolder(args, ['/etc/secret'])).toBe(folder)
})
