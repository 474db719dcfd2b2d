// @module-tag process
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const within = (...words: string[]) => spawnSync(process.execPath, [join(root, '.ci/within.mjs'), ...words], { encoding: 'utf8' })
const judge = (limit: number, seconds: number, floors = { empty: 0, busy: 0 }) =>
  within('loop', String(limit), String(seconds), JSON.stringify(floors))

test.each([
  ['within its limit', 60, 60, 0, 'loop: 60 s, within '],
  ['over two and a half times its limit, which no machine excuses', 60, 151, 1, 'loop: 151 s, MORE THAN '],
])('a loop %s', (_, limit, seconds, status, line) => {
  expect(judge(limit, seconds)).toMatchObject({ status, stdout: expect.stringContaining(line) })
})

test('a loop is held against the slower one of what was measured before and after it', () => {
  const floors = JSON.parse(within().stdout)
  expect(floors).toEqual({ empty: expect.any(Number), busy: expect.any(Number) })
  expect(judge(60, 149, { ...floors, busy: 2.5 * 490 })).toMatchObject({ status: 0, stdout: expect.stringContaining('60 s × 2.50') })
})
