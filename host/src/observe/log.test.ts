import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatLine } from './format-line.ts'
import { type LogOptions, openLogs } from './log.ts'
import { openLogFile } from './log-file.ts'
import { silentLog } from './silent-log.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'log-')), 'logs')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const open = (more: Partial<LogOptions> = {}) => openLogs({ folder, level: 'info', mask: () => [], clock: { now: () => 1_000 }, ...more })
const lines = (name: string): Record<string, unknown>[] =>
  readFileSync(join(folder, `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('lines go to the file of their name in order; warnings and errors to errors.log too', async () => {
  const logs = open()
  const agent = logs.log('agent')
  agent.debug('not at this level')
  agent.info('one', { count: 1, level: 'mine' })
  agent.warn('two')
  logs.close()
  agent.error('after the end')
  const base = { pid: process.pid, name: 'agent', time: 1_000 }
  expect(lines('agent')).toEqual([
    { ...base, level: 'info', msg: 'one', fields: { count: 1, level: 'mine' } },
    { ...base, level: 'warn', msg: 'two' },
  ])
  expect(lines('errors')).toMatchObject([{ msg: 'two' }])
  expect(readdirSync(folder).sort()).toEqual(['agent.log', 'errors.log'])
})

test('who logs nothing makes no file', async () => {
  const logs = open()
  logs.log('gateway').debug('quiet')
  silentLog.error('dropped')
  logs.close()
  expect(existsSync(folder)).toBe(false)
})

test('the folder and the files are their owner’s alone', async () => {
  const logs = open()
  logs.log('agent').info('x')
  logs.close()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'agent.log')).mode & 0o777).toBe(0o600)
})

test('secrets are masked wherever they stand, also those that become known later', async () => {
  const secrets = ['sk-abcdef-longer', 'sk-abcdef', 'p ss+word']
  const logs = open({ mask: () => secrets })
  const log = logs.log('gateway')
  log.info('key sk-abcdef-longer and sk-abcdef', {
    deep: [{ header: 'Bearer sk-abcdef' }],
    url: 'http://x/?p=p%20ss%2Bword',
    bytes: new Uint8Array(3),
  })
  secrets.push('late-secret')
  log.error('late-secret came')
  logs.close()
  expect(lines('gateway')).toMatchObject([
    { msg: 'key [secret] and [secret]', fields: { deep: [{ header: 'Bearer [secret]' }], url: 'http://x/?p=[secret]', bytes: '3 bytes' } },
    { msg: '[secret] came' },
  ])
  expect(readFileSync(join(folder, 'errors.log'), 'utf8')).not.toContain('late-secret')
})

test('a full file is set aside, and no more than the wanted number is kept', () => {
  const path = join(folder, 'small.log')
  const file = openLogFile({ path, maxBytes: 10, backups: 2 })
  for (const line of ['first-0000\n', 'second-000\n', 'third-0000\n', 'fourth-000\n']) file.write(line, { urgent: true })
  file.close()
  file.write('too late\n', { urgent: true })
  expect(readdirSync(folder).sort()).toEqual(['small.log', 'small.log.1', 'small.log.2'])
  expect(['', '.1', '.2'].map((end) => readFileSync(path + end, 'utf8'))).toEqual(['fourth-000\n', 'third-0000\n', 'second-000\n'])
})

test('without backups a full file starts over', () => {
  const path = join(folder, 'none.log')
  const file = openLogFile({ path, maxBytes: 5, backups: 0 })
  for (const line of ['first\n', 'second\n']) file.write(line, { urgent: true })
  file.close()
  expect(readdirSync(folder)).toEqual(['none.log'])
  expect(readFileSync(path, 'utf8')).toBe('second\n')
})

test('a file that another process set aside is not set aside again', () => {
  const path = join(folder, 'shared.log')
  const mine = openLogFile({ path, maxBytes: 10, backups: 3 })
  const other = openLogFile({ path, maxBytes: 10, backups: 3 })
  mine.write('1234567890\n', { urgent: true })
  other.write('other\n', { urgent: true })
  mine.write('mine\n', { urgent: true })
  mine.close()
  other.close()
  expect(readFileSync(path, 'utf8')).toBe('other\nmine\n')
  expect(readdirSync(folder).sort()).toEqual(['shared.log', 'shared.log.1'])
})

test('calm lines wait for the end of the turn of the loop, urgent ones do not', async () => {
  const path = join(folder, 'calm.log')
  const file = openLogFile({ path, maxBytes: 1000, backups: 1 })
  file.write('calm\n', { urgent: false })
  expect(existsSync(path)).toBe(false)
  await new Promise((resolve) => setImmediate(resolve))
  expect(readFileSync(path, 'utf8')).toBe('calm\n')
  file.write('calm\n', { urgent: false })
  file.write('urgent\n', { urgent: true })
  expect(readFileSync(path, 'utf8')).toBe('calm\ncalm\nurgent\n')
  file.close()
})

test('a log that cannot be written does not stop the program', async () => {
  writeFileSync(join(folder, '..', 'file'), '')
  const logs = open({ folder: join(folder, '..', 'file') })
  logs.log('agent').error('nowhere to go')
  logs.close()
})

test('a line reads like a sentence; what is no log line stays', () => {
  const line = JSON.stringify({
    level: 'warn',
    time: Date.UTC(2026, 0, 2, 3, 4, 5),
    name: 'gateway',
    msg: 'it broke',
    fields: { platform: 'irc', why: 'no route', n: 2 },
  })
  expect(formatLine(line)).toMatch(/^2026-01-0\d \d\d:04:05 warn {2}gateway: it broke platform=irc why="no route" n=2$/)
  expect(formatLine('{"half')).toBe('{"half')
  expect(formatLine('plain')).toBe('plain')
})
