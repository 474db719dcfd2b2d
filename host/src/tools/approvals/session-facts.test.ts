import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ToolManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { ToolTurn } from '../tool-turn.ts'
import { createSessionFacts } from './session-facts.ts'

const guarded = (name: string, ...as: readonly string[]): ToolManifest =>
  ({ name, guards: as.map((each) => ({ argument: each, as: each })) }) as unknown as ToolManifest
const terminal = guarded('terminal', 'command', 'folder')
const turnOf = (session: string, workspace = '/work'): ToolTurn => ({ session, workspace }) as ToolTurn
const facts = () => createSessionFacts({ resolve: (path, from) => resolve(from, path) })

test('a command starts where it is told, else where the last one of its session has ended, else in the workspace', async () => {
  const known = facts()
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'facts-')))
  mkdirSync(join(base, 'a'))
  symlinkSync(join(base, 'a'), join(base, 'link'))
  expect(await known.folderOf(terminal, {}, turnOf('s'))).toBe('/work')
  expect(await known.folderOf(terminal, { folder: 'link' }, turnOf('s', base))).toBe(join(base, 'a'))
  expect(await known.folderOf(terminal, { folder: '/nowhere/x' }, turnOf('s'))).toBe('/nowhere/x')
  rmSync(base, { recursive: true })
  known.moved(terminal, 's', '/usr')
  expect(await known.folderOf(terminal, {}, turnOf('s'))).toBe('/usr')
  expect(await known.folderOf(guarded('other', 'command'), {}, turnOf('s'))).toBe('/work')
  expect(await known.folderOf(terminal, {}, turnOf('t'))).toBe('/work')
  expect(await known.folderOf(guarded('reader', 'read-path'), {}, turnOf('s'))).toBeUndefined()
})

test('a folder that is gone, or is none any more, is no place to start; one below a private /tmp is taken at its word', async () => {
  const known = facts()
  for (const folder of ['/usr/not-there', '/etc/passwd']) {
    known.moved(terminal, 's', folder)
    expect(await known.folderOf(terminal, {}, turnOf('s'))).toBe('/work')
  }
  for (const folder of ['/tmp/not-there', '/var/tmp/not-there']) {
    known.moved(terminal, 's', folder)
    expect(await known.folderOf(terminal, {}, turnOf('s'))).toBe(folder)
  }
  known.moved(terminal, 's', '/srv/tmp/not-there')
  expect(await known.folderOf(terminal, {}, turnOf('s'))).toBe('/work')
})

test('a tool that takes no folder does not move the session', async () => {
  const known = facts()
  const bare = guarded('bare', 'command')
  known.moved(bare, 's', tmpdir())
  expect(await known.folderOf(bare, {}, turnOf('s'))).toBe('/work')
})

test('of the files that were written the newest thousand are known, in each session its own', () => {
  const known = facts()
  known.wrote(
    's',
    Array.from({ length: 1001 }, (_, at) => `/work/${at}`),
  )
  const { size } = known.written('s')
  expect([size, known.written('s').has('/work/0'), known.written('s').has('/work/1'), known.written('s').has('/work/1000')]).toEqual([
    ...[1000, false, true, true],
  ])
  expect(known.written('t').size).toBe(0)
})

test('of the sessions those are known that were used last', () => {
  const known = facts()
  known.wrote('first', ['/a'])
  known.wrote('second', ['/b'])
  for (let at = 0; at < 498; at++) known.wrote(`s${at}`, ['/c'])
  // It is used again, so the second one is the oldest.
  expect(known.written('first').has('/a')).toBe(true)
  known.wrote('last', ['/d'])
  expect([known.written('first').size, known.written('second').size]).toEqual([1, 0])
})
