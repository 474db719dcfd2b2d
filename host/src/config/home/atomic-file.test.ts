import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFileAtomic } from './atomic-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atomic-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file is replaced as a whole and closed to others, whatever it was before', () => {
  const path = join(folder, 'new', 'file')
  writeFileAtomic(path, 'one')
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
  writeFileSync(join(folder, 'open'), 'old and longer', { mode: 0o644 })
  writeFileAtomic(join(folder, 'open'), 'new')
  expect(readFileSync(join(folder, 'open'), 'utf8')).toBe('new')
  expect(statSync(join(folder, 'open')).mode & 0o777).toBe(0o600)
})

test('a write that fails says why and leaves nothing behind', () => {
  mkdirSync(join(folder, 'taken'))
  expect(() => writeFileAtomic(join(folder, 'taken'), 'x')).toThrow('cannot be used')
  expect(readdirSync(folder)).toEqual(['taken'])
})
