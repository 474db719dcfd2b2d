// @module-tag process
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const judge = (limit: number, seconds: number) =>
  spawnSync(process.execPath, [join(root, '.ci/within.mjs'), 'loop', String(limit), String(seconds)], { encoding: 'utf8' })

test.each([
  ['within its limit', 60, 60, 0, 'loop: 60 s, within '],
  ['over two and a half times its limit, which no machine excuses', 60, 151, 1, 'loop: 151 s, MORE THAN '],
])('a loop %s', (_, limit, seconds, status, line) => {
  expect(judge(limit, seconds)).toMatchObject({ status, stdout: expect.stringContaining(line) })
})
