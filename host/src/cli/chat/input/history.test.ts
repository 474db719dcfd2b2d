import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { openHistory } from './history.ts'

const folder = mkdtempSync(join(tmpdir(), 'history-'))
const file = join(folder, 'cache', 'chat-history')
const complaints: unknown[] = []
const open = () => openHistory(file, (error) => complaints.push(error))

afterEach(() => rmSync(join(folder, 'cache'), { recursive: true, force: true }))
afterAll(() => rmSync(folder, { recursive: true }))

test('an entry is one line of the file, whatever it holds, and comes back newest first', () => {
  const history = open()
  history.add('one')
  history.add('two\nlines')
  history.add('two\nlines')
  history.add(' ')
  expect(readFileSync(file, 'utf8')).toBe('"one"\n"two\\nlines"\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(open().entries()).toEqual(['two\nlines', 'one'])
})

test('what is sent again moves to the front, and lines of earlier versions are read', () => {
  open().add('x')
  writeFileSync(file, 'bare words\n"broken\n"again"\n"other"\n"again"\n')
  expect(open().entries()).toEqual(['again', 'other', '"broken', 'bare words'])
})

test('the file does not grow without end', () => {
  open().add('first')
  writeFileSync(file, Array.from({ length: 2500 }, (_, index) => `"${index}"\n`).join(''))
  expect(open().entries()).toHaveLength(1000)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(1001)
})

test('a history that cannot be kept still works for this chat', () => {
  writeFileSync(join(folder, 'cache'), 'no folder')
  const history = open()
  history.add('one')
  expect(history.entries()).toEqual(['one'])
  expect(complaints.length).toBeGreaterThan(0)
})
