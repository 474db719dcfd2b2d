// @module-tag process
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withFileLock } from './file-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a lock of a process that has ended, or that is older than any change, is taken over', async () => {
  const path = join(folder, 'file')
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.pid'])
  writeFileSync(`${path}.lock`, stdout.trim())
  expect(withFileLock(path, () => 'changed')).toBe('changed')
  writeFileSync(`${path}.lock`, String(process.pid))
  utimesSync(`${path}.lock`, 1, 1)
  expect(withFileLock(path, () => readFileSync(`${path}.lock`, 'utf8'))).toBe(String(process.pid))
  expect(existsSync(`${path}.lock`)).toBe(false)
})

test('a change that fails lets the next one in', () => {
  const path = join(folder, 'new', 'file')
  const broken = (): never => {
    throw new Error('no')
  }
  expect(() => withFileLock(path, broken)).toThrow('no')
  expect(withFileLock(path, () => 1)).toBe(1)
})
