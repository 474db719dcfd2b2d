// @module-tag process
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const within = (...words: string[]) => spawnSync(process.execPath, [join(root, '.ci/within.mjs'), ...words], { encoding: 'utf8' })
const quick = { empty: 0, busy: 0 }
const judge = (limit: number, seconds: number, before = quick, after = quick) =>
  within('loop', String(limit), String(seconds), JSON.stringify(before), JSON.stringify(after))

test.each([
  ['within its limit', 60, 60, 0, 'loop: 60 s, within '],
  ['over two and a half times its limit, which no machine excuses', 60, 151, 1, 'loop: 151 s, MORE THAN '],
])('a loop %s', (_, limit, seconds, status, line) => {
  const slow = { empty: 1000, busy: 10_000 }
  expect(judge(limit, seconds, slow, slow)).toMatchObject({ status, stdout: expect.stringContaining(line) })
})

test('a loop is held against the slower one of what was measured before and after it', () => {
  const slow = { empty: 0, busy: 2.5 * 490 }
  const kept = { status: 0, stdout: expect.stringContaining('60 s × 2.50') }
  expect(judge(60, 149, slow, quick)).toMatchObject(kept)
  expect(judge(60, 149, quick, slow)).toMatchObject(kept)
  expect(judge(60, 61)).toMatchObject({ status: 1, stdout: expect.stringContaining('60 s × 1.00') })
})

test('what is measured now comes where nothing is said of it', () => {
  const floors = JSON.parse(within().stdout)
  expect(floors).toEqual({ empty: expect.any(Number), busy: expect.any(Number) })
  expect(Math.min(floors.empty, floors.busy)).toBeGreaterThan(0)
})
