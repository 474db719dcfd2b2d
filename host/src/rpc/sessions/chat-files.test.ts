// @module-tag process
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { buildProgram } from '../../../../test/support/child-program.ts'
import { openChatJournal } from './chat-journal.ts'

const program = `
import { openChatJournal } from './chat-journal.ts'
const [folder] = process.argv.slice(2)
const log = { debug() {}, info() {}, warn() {}, error() {} }
const journal = openChatJournal({ folder, isDurable: false, clock: { now: () => 0, sleep: async () => undefined }, log })
const prompt = (id, text) => ({ id, ordinal: 0, input: [{ type: 'text', text }] })
const codes = []
const accept = (each) => journal.accept('ses_1', each).then(() => 'taken', ({ code }) => code)
codes.push(await accept(prompt('a', 'small')))
codes.push(await accept(prompt('b', 'x'.repeat(20_000))))
codes.push(await accept(prompt('c', 'small')))
const [{ prompts }] = journal.left()
const known = [...journal.accepted('ses_1').keys()]
journal.begin('ses_1', prompt('a', 'small'), 0)
journal.hear('ses_1', { type: 'message.delta', text: 'y'.repeat(20_000) })
journal.end('ses_1', 'a')
const after = journal.left().flatMap(({ prompts }) => prompts)
journal.begin('ses_1', prompt('c', 'small'), 2)
journal.end('ses_1', 'c')
process.stdout.write(JSON.stringify({ codes, known, kept: [prompts, after, journal.left()].map((each) => each.map(({ id }) => id)) }))
`

test('a disk with room for a part only takes no half of a prompt, and what is answered then does not come again', async () => {
  await using built = await buildProgram(program, import.meta.dirname)
  const folder = mkdtempSync(join(tmpdir(), 'full-chats-'))
  try {
    // Files of 4 or 8 KiB, as the shell counts.
    const limited = ['-c', 'ulimit -f 8 && exec "$@"', 'sh', process.execPath, built.file, join(folder, 'chats')]
    const { stdout } = await promisify(execFile)('sh', limited)
    expect(JSON.parse(stdout)).toEqual({
      codes: ['taken', 'HOME_UNUSABLE', 'taken'],
      known: ['a', 'c'],
      kept: [['a', 'c'], ['c'], []],
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

const taker = `
import { openChatJournal } from './chat-journal.ts'
const [folder] = process.argv.slice(2)
const log = { debug() {}, info() {}, warn() {}, error() {} }
const journal = openChatJournal({ folder, isDurable: false, clock: { now: () => 0, sleep: async () => undefined }, log })
process.stdout.write(JSON.stringify(journal.left().map(({ session }) => session)))
process.stdin.resume()
`

test('what was left is stored by one process alone, and by the next one where that is killed', async () => {
  await using built = await buildProgram(taker, import.meta.dirname)
  const folder = mkdtempSync(join(tmpdir(), 'left-chats-'))
  const lines = [
    { type: 'owner', pid: 2 ** 30, started: '1' },
    { type: 'prompt', id: 'a', ordinal: 0, input: [{ type: 'text', text: 'hello' }] },
  ]
  mkdirSync(join(folder, 'chats'))
  writeFileSync(join(folder, 'chats', 'ses_1.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const first = spawn(process.execPath, [built.file, join(folder, 'chats')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const over = once(first, 'exit')
  try {
    const [said] = await once(first.stdout, 'data')
    expect(JSON.parse(String(said))).toEqual(['ses_1'])
    const journal = openChatJournal({ folder: join(folder, 'chats'), isDurable: false, clock: systemClock, log: silentLog })
    expect(journal.left()).toEqual([])
    first.kill('SIGKILL')
    await over
    expect(journal.left()).toMatchObject([{ session: 'ses_1', prompts: [{ id: 'a' }] }])
  } finally {
    first.kill('SIGKILL')
    await over
    rmSync(folder, { recursive: true, force: true })
  }
})
