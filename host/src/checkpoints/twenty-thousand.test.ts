// @module-tag process
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { openStage } from './testing/stage.ts'

const files = 20_000
const pathOf = (at: number): string => `part-${Math.floor(at / 200)}/${at}.txt`
const numbers = (count: number, from: number, step: number): readonly number[] => Array.from({ length: count }, (_, at) => from + at * step)

/** What each file and link below a folder is, by its path: its rights and what it holds. */
function look(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const held = entry.isSymbolicLink() ? `link ${readlinkSync(path)}` : createHash('sha256').update(readFileSync(path)).digest('base64')
    found.set(relative(folder, path), `${(lstatSync(path).mode & 0o777).toString(8)} ${held}`)
  }
  return found
}

/** Paths that are not in both, or not the same. */
const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))

function fill(work: string): void {
  for (let at = 0; at < files; at++) {
    if (at % 200 === 0) mkdirSync(join(work, `part-${at / 200}`))
    writeFileSync(join(work, pathOf(at)), `file ${at}\n\0\xff`.repeat(1 + (at % 40)))
  }
  for (const at of numbers(100, 0, 7)) symlinkSync(`../${pathOf(at)}`, join(work, `link-${at}`))
  mkdirSync(join(work, 'nested'))
  writeFileSync(join(work, 'nested', 'mine.txt'), 'mine')
  execFileSync('git', ['init', '-q', join(work, 'nested')])
}

/** Some thousand edits, deletions, moves, rights and links. */
function disturb(work: string): void {
  for (const at of numbers(4000, 1, 5)) writeFileSync(join(work, pathOf(at)), `edited ${at}`)
  for (const at of numbers(2000, 2, 10)) rmSync(join(work, pathOf(at)))
  for (const at of numbers(1000, 3, 20)) renameSync(join(work, pathOf(at)), join(work, `moved-${at}`))
  for (const at of numbers(500, 4, 20)) chmodSync(join(work, pathOf(at)), 0o755)
  for (const at of numbers(50, 0, 7)) rmSync(join(work, `link-${at}`))
  for (const at of numbers(20, 350, 7)) {
    rmSync(join(work, `link-${at}`))
    symlinkSync('elsewhere', join(work, `link-${at}`))
  }
  renameSync(join(work, 'part-99'), join(work, 'another'))
  rmSync(join(work, 'part-98'), { recursive: true })
  for (const at of numbers(300, 0, 1)) writeFileSync(join(work, `new-${at}`), 'new')
  writeFileSync(join(work, 'nested', 'mine.txt'), 'changed')
}

test('a rollback brings 20,000 files back byte for byte, with rights and links, and leaves a repository in them alone', {
  timeout: 120_000,
}, async () => {
  // On a disk that others use, so many files take most of a minute.
  await using stage = openStage(existsSync('/dev/shm') ? { place: '/dev/shm' } : {})
  const { work } = stage
  fill(work)
  const before = look(work)
  await stage.turn(() => disturb(work))
  expect(differences(before, look(work)).length).toBeGreaterThan(8000)
  const { restored, removed } = await stage.restore(1)
  expect([restored > 7000, removed > 1000]).toEqual([true, true])
  expect(differences(before, look(work))).toEqual(['nested/mine.txt'])
})
