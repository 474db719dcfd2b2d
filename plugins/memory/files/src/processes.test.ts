// @module-tag process
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BuiltProgram, buildProgram } from '../../../../test/support/child-program.ts'
import { missingProgram, needs } from '../../../../test/support/needs.ts'
import { parseEntries } from './entries.ts'

/** Changes the memory of one folder as often as it is told, and prints the codes of what failed and what stood there in the end. */
const source = `
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import provider from './provider.ts'
const [folder = '', name = '', count = '0', ballast = ''] = process.argv.slice(2)
const clock = { now: () => Date.now(), sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) }
const context = { config: { memory_char_limit: 1_000_000, user_char_limit: 1 }, clock }
const call = { id: 'c', signal: new AbortController().signal, deadline: 60_000 }
const memory = await provider.open(context as never, call)
const owner = { key: 'k', folder, search: async () => [] }
const failed: string[] = []
const change = async (text: string): Promise<void> => {
  await memory.change?.(owner, { action: 'add', target: 'memory', text }, call).catch((error: { code: string }) => failed.push(error.code))
}
for (let at = 0; at < Number(count); at++) await change(name + ' says ' + at)
if (ballast !== '') {
  const path = join(ballast, 'ballast')
  try { for (let size = 1; ; size++) writeFileSync(path, 'x'.repeat(4_096), { flag: 'a' }) } catch {}
  await change('a note that has no room ' + 'y'.repeat(9_000))
  const during = readFileSync(join(folder, 'MEMORY.md'), 'utf8')
  rmSync(path)
  await change('a note that has room')
  console.log(JSON.stringify({ failed, during, after: readFileSync(join(folder, 'MEMORY.md'), 'utf8'), files: readdirSync(folder) }))
} else console.log(JSON.stringify({ failed }))
`
const bwrap = '/usr/bin/bwrap'

let program: BuiltProgram
let folder: string
beforeAll(async () => {
  program = await buildProgram(source, import.meta.dirname)
})
afterAll(() => program[Symbol.asyncDispose]())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'memory-processes-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function run(args: readonly string[], wrapper: readonly string[] = []): Promise<unknown> {
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, program.file, ...args]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(JSON.parse(output)))
  })
}

test('two processes that change one file at once lose nothing', async () => {
  const ends = await Promise.all([run([folder, 'one', '60']), run([folder, 'two', '60'])])
  expect(ends).toEqual([{ failed: [] }, { failed: [] }])
  const entries = parseEntries(readFileSync(join(folder, 'MEMORY.md'), 'utf8'))
  const wanted = ['one', 'two'].flatMap((name) => Array.from({ length: 60 }, (_, at) => `${name} says ${at}`))
  expect([...entries].sort()).toEqual(wanted.sort())
}, 60_000)

describe('in a sandbox', needs(missingProgram(bwrap, 'bubblewrap')), () => {
  test('a full disk leaves the file as it was, and nothing else behind', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    const small = [bwrap, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--size', '131072', '--tmpfs', disk]
    const text = 'one says 0\n§\none says 1\n'
    expect(await run([join(disk, 'memories'), 'one', '2', disk], small)).toEqual({
      failed: ['STORE_FULL'],
      during: text,
      after: `${text.trimEnd()}\n§\na note that has room\n`,
      files: ['MEMORY.md'],
    })
  })
})
