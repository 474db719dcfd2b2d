// @module-tag process
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
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

test('who comes by a link waits for the same lock', () => {
  const [path, link] = [join(folder, 'file'), join(folder, 'link')]
  writeFileSync(path, 'text')
  symlinkSync(path, link)
  withFileLock(link, () => {
    expect(existsSync(`${path}.lock`)).toBe(true)
    expect(() => withFileLock(path, () => 1, 5)).toThrow(expect.objectContaining({ code: 'STORE_BUSY' }))
  })
  symlinkSync('loop', join(folder, 'loop'))
  expect(withFileLock(join(folder, 'loop'), () => 1)).toBe(1)
})

test('a change that fails lets the next one in', () => {
  const path = join(folder, 'new', 'file')
  const broken = (): never => {
    throw new Error('no')
  }
  expect(() => withFileLock(path, broken)).toThrow('no')
  expect(withFileLock(path, () => 1)).toBe(1)
})

test('who waits gives up on one holder, and not on many that take turns', async () => {
  const path = join(folder, 'file')
  const holder = `${path}.lock`
  writeFileSync(holder, String(process.pid))
  expect(() => withFileLock(path, () => 1, 10)).toThrow(expect.objectContaining({ code: 'STORE_BUSY' }))
  // Two that are alive take turns for longer than one may have it, and then it is free.
  const turns = `
    const { writeFileSync, rmSync } = require('node:fs')
    let turn = 0
    setInterval(() => (++turn > 8 ? (rmSync(${JSON.stringify(holder)}), process.exit(0)) : writeFileSync(${JSON.stringify(holder)}, String(turn % 2 ? process.pid : process.ppid))), 40)`
  const running = promisify(execFile)(process.execPath, ['-e', turns])
  await expect.poll(() => readFileSync(holder, 'utf8')).not.toBe(String(process.pid))
  expect(withFileLock(path, () => 'changed', 25)).toBe('changed')
  await running
})
