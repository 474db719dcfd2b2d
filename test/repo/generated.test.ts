// @module-tag process
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

test('generated files are what their sources say', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'host/install/generate.mjs'), '--check'], { encoding: 'utf8' })
  expect(stderr.replace(/^npm warn.*\n/gm, '')).toBe('')
  expect(status).toBe(0)
})
