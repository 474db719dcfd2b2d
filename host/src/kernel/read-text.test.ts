import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { explainFileError, fileReason, readText } from './read-text.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-text-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)
const read = (path: string): string | undefined => readText(path, { mostBytes: 1024 })

test('reads a file to the last byte of the limit, and knows that there is none', () => {
  writeFileSync(at('full'), 'é'.repeat(512))
  expect(read(at('full'))).toBe('é'.repeat(512))
  expect(read(at('missing'))).toBeUndefined()
})

test('names what cannot be read, with the way out', async () => {
  writeFileSync(at('large'), 'x'.repeat(1025))
  writeFileSync(at('latin1'), Buffer.from('one\ntwo: \xe4\nthree', 'latin1'))
  writeFileSync(at('at-end'), Buffer.from('one\ntwo\xe4', 'latin1'))
  writeFileSync(at('utf16'), Buffer.from('\ufeffmodel: x', 'utf16le'))
  mkdirSync(at('folder'))
  symlinkSync(at('nowhere'), at('dangling'))
  symlinkSync(at('loop'), at('loop'))
  const server = createServer().listen(at('socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  const found = (name: string): unknown => {
    try {
      return read(name.startsWith('/') ? name : at(name))
    } catch (error) {
      return (error as Error).message.replace(at(name), name)
    }
  }
  expect(found('large')).toBe('large is larger than 1 KiB; shorten it.')
  expect(found('latin1')).toBe('latin1 has bytes in line 2 that are not UTF-8; save it as UTF-8.')
  expect(found('utf16')).toBe('utf16 has bytes in line 1 that are not UTF-8; save it as UTF-8.')
  expect(found('at-end')).toBe('at-end has bytes in line 2 that are not UTF-8; save it as UTF-8.')
  expect(found('folder')).toBe('folder is a folder and no file; put a text file in its place.')
  expect(found('dangling')).toContain('is a link to a file that is not there')
  expect(found('loop')).toContain('is a link that leads to itself')
  expect(found('socket')).toContain('is a socket or a device and no file')
  expect(found('large/below')).toContain('lies below something that is no folder')
  expect(found('/dev/zero')).toContain('is a device and no file')
  server.close()
})

test('a file that says that it is empty is read no further than the limit', () => {
  expect(read('/proc/self/comm')).toMatch(/\S/)
  expect(() => read('/proc/self/smaps')).toThrow('is larger than 1 KiB')
})

test('says what a person can do instead', () => {
  mkdirSync(at('config.yaml'))
  expect(() => readText(at('config.yaml'), { mostBytes: 1, otherwise: 'start without it' })).toThrow('in its place, or start without it.')
})

test('a file that was read is closed, also one that is refused', () => {
  const file = join(folder, 'a')
  writeFileSync(file, 'text')
  const before = readdirSync('/dev/fd').length
  for (let count = 0; count < 20; count++) {
    readText(file, { mostBytes: 100 })
    expect(() => readText(file, { mostBytes: 1 })).toThrow('is larger than')
  }
  expect(readdirSync('/dev/fd').length).toBe(before)
})

test.each([
  ['ENOENT', 'it is not there, or the folder for it is not; make it, or choose another place'],
  ['EEXIST', 'it is there already, and no folder; move it away'],
  ['EACCES', 'it is not for this user; give the user that runs agent the right to it'],
  ['EISDIR', 'it is a folder and no file; choose another place, or put a file there'],
  ['EPERM', 'it is not for this user; give the user that runs agent the right to it'],
  ['EROFS', 'it lies where nothing can be written; choose another place'],
  ['ENOSPC', 'it found no room on the disk; free some space'],
  ['ELOOP', 'it is a link that leads to itself; remove the link'],
  ['EODD', 'it cannot be opened (EODD); see what stands there'],
])('%s of a file that is written is told in words', (code, words) => {
  const error = Object.assign(new Error('no'), { code, path: '/made/up', syscall: 'open', errno: -1 })
  expect(fileReason(error)).toBe(words)
  const [problem, fix] = words.replace('it ', '').split('; ')
  expect(explainFileError(error)).toMatchObject({ code: 'FILE_UNREADABLE', params: { path: '/made/up', problem, fix } })
})

test('an error that is none of the system says itself', () => {
  expect(fileReason(new Error('no such thing'))).toBe('no such thing')
  expect(explainFileError(new Error('no such thing'))).toBeUndefined()
})
