import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryBlock, MemoryChange, MemoryOwner, OpenMemory } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeMemoryFile } from './memory-file.ts'
import provider from './provider.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 10_000 }
const settings = { memory_char_limit: 2200, user_char_limit: 1375 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'memory-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const ownerOf = (name = 'ann'): MemoryOwner => ({ key: name, folder: join(folder, name), search: async () => [] })
const add = (text: string, target: MemoryBlock['target'] = 'memory'): MemoryChange => ({ action: 'add', target, text })
const textOf = (name: string): string => readFileSync(join(folder, 'ann', name), 'utf8')

async function open(config: object = settings): Promise<Required<OpenMemory>> {
  const { context } = openTestContext({ manifest, contribution: 'files', config })
  return (await provider.open(context as never, call)) as Required<OpenMemory>
}

test('entries lie in files that people can edit, and what they edit is what is remembered', async () => {
  const memory = await open()
  await memory.change(ownerOf(), add('Likes tea.'), call)
  await memory.change(ownerOf(), add('Is called Ann.', 'user'), call)
  expect([textOf('MEMORY.md'), textOf('USER.md')]).toEqual(['Likes tea.\n', 'Is called Ann.\n'])
  expect(statSync(join(folder, 'ann', 'MEMORY.md')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'ann')).mode & 0o777).toBe(0o700)
  writeFileSync(join(folder, 'ann', 'MEMORY.md'), '  Likes coffee.\r\n§\r\nLives in Rome.\r\n')
  expect(await memory.snapshot(ownerOf(), call)).toEqual([
    { target: 'memory', entries: ['Likes coffee.', 'Lives in Rome.'], limit: 2200 },
    { target: 'user', entries: ['Is called Ann.'], limit: 1375 },
  ])
  await memory.change(ownerOf(), add('Lives in Rome.'), call)
  expect(textOf('MEMORY.md')).toContain('  Likes coffee.\r\n')
  await memory.change(ownerOf(), add('Has a cat.'), call)
  expect(textOf('MEMORY.md')).toBe('Likes coffee.\n§\nLives in Rome.\n§\nHas a cat.\n')
  expect(readdirSync(join(folder, 'ann')).sort()).toEqual(['MEMORY.md', 'USER.md'])
})

test('the limits of the settings hold, each for its file', async () => {
  const memory = await open({ memory_char_limit: 10, user_char_limit: 20 })
  await expect(memory.change(ownerOf(), add('x'.repeat(11)), call)).rejects.toMatchObject({ code: 'MEMORY_FULL', params: { limit: 10 } })
  expect(await memory.change(ownerOf(), add('x'.repeat(11), 'user'), call)).toMatchObject({ limit: 20 })
  expect(existsSync(join(folder, 'ann', 'MEMORY.md'))).toBe(false)
})

test('what a person writes while a change is made is read again, and not written over', async () => {
  const file = join(folder, 'MEMORY.md')
  writeFileSync(file, 'one\n')
  let tries = 0
  const { context } = openTestContext({ manifest, contribution: 'files', config: settings })
  await changeMemoryFile(file, { clock: context.clock, signal: call.signal }, (text) => {
    // The editor of the person saves in the middle of it.
    if (tries++ === 0) writeFileSync(file, `${text}by hand\n`)
    return `${text}two\n`
  })
  expect(readFileSync(file, 'utf8')).toBe('one\nby hand\ntwo\n')
  expect(tries).toBe(2)
})

test('a linked file stays a link, and what is no file or too large is told by name', async () => {
  const memory = await open()
  mkdirSync(join(folder, 'ann'))
  writeFileSync(join(folder, 'kept.md'), 'Likes tea.\n')
  symlinkSync(join(folder, 'kept.md'), join(folder, 'ann', 'MEMORY.md'))
  await memory.change(ownerOf(), add('Has a cat.'), call)
  expect(readFileSync(join(folder, 'kept.md'), 'utf8')).toBe('Likes tea.\n§\nHas a cat.\n')
  mkdirSync(join(folder, 'ann', 'USER.md'))
  await expect(memory.snapshot(ownerOf(), call)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining('USER.md'),
  })
  writeFileSync(join(folder, 'kept.md'), 'x'.repeat(300_000))
  await expect(memory.change(ownerOf(), add('x'), call)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining('256 KiB'),
  })
})

test('the lock of a process that died is set aside; that of one that lives is waited for, until the call is given up', async () => {
  const memory = await open()
  mkdirSync(join(folder, 'ann'))
  const lock = join(folder, 'ann', 'MEMORY.md.lock')
  writeFileSync(lock, '')
  const controller = new AbortController()
  const waiting = memory.change(ownerOf(), add('x'), { ...call, signal: controller.signal })
  controller.abort(new Error('given up'))
  await expect(waiting).rejects.toThrow('given up')
  expect(existsSync(lock)).toBe(true)
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(lock, longAgo, longAgo)
  expect(await memory.change(ownerOf(), add('x'), call)).toMatchObject({ entries: ['x'] })
  expect(existsSync(lock)).toBe(false)
})
