import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { identifyProcess } from './process-identity.ts'
import { removeStale, takeLock } from './process-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const own = identifyProcess(process.pid)
const held = (): Error => new Error('somebody holds it')

test('a lock is one file with its holder in it, and is gone when it is given back', () => {
  const file = join(folder, 'lock')
  const unlock = takeLock(file, own, held)
  expect(readdirSync(folder)).toEqual(['lock'])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(own)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(() => takeLock(file, own, held)).toThrow('somebody holds it')
  expect(readdirSync(folder)).toEqual(['lock'])
  unlock()
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['of a process that is gone', JSON.stringify({ ...own, pid: 2 ** 22 + 1 })],
  ['that holds nonsense', '{'],
  ['that is too long for one', 'x'.repeat(100_000)],
])('a lock %s is taken over, and nothing of it is left', (_, text) => {
  const file = join(folder, 'lock')
  writeFileSync(file, text)
  const unlock = takeLock(file, own, held)
  expect(readdirSync(folder)).toEqual(['lock'])
  unlock()
  expect(readdirSync(folder)).toEqual([])
})

test('what another one took meanwhile stays when the lock is given back', () => {
  const file = join(folder, 'lock')
  const unlock = takeLock(file, own, held)
  writeFileSync(file, '{}')
  unlock()
  expect(readdirSync(folder)).toEqual(['lock'])
})

test('who took the lock while a dead one was put away keeps it; what is gone by then is no problem, and anything else is', () => {
  const file = join(folder, 'lock')
  takeLock(file, { ...own, more: 'theirs' }, held)
  removeStale(file)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...own, more: 'theirs' })
  expect(readdirSync(folder)).toEqual(['lock'])
  expect(() => removeStale(join(file, 'below a file'))).toThrow('ENOTDIR')
  removeStale(join(folder, 'gone'))
  expect(readdirSync(folder)).toEqual(['lock'])
})
