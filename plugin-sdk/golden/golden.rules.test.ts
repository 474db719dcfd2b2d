// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { contractKinds } from '../src/kinds/kinds.ts'
import { checkPlugin } from '../src/testing/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'golden-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.tgz'))

test('every contract has a golden plugin of each version', () => {
  for (const kind of contractKinds) expect(files).toContain(`${kind}-sample-api-1.tgz`)
})

test.each(files)('%s, built long ago, keeps the rules of today', async (file) => {
  const { status, stderr } = spawnSync('tar', ['-xzf', join(import.meta.dirname, file), '-C', folder], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const dir = join(folder, 'package')
  // Without its definition it is what people have installed: nothing of it is built again.
  rmSync(join(dir, 'src', 'plugin.ts'), { force: true })
  const report = await checkPlugin({ dir, contract: join(dir, 'src', 'contract.ts') })
  rmSync(dir, { recursive: true })
  expect(report.rules.filter(({ status: found }) => found === 'failed')).toEqual([])
  expect(report).toMatchObject({ passed: true, notes: [] })
  expect(report.rules.some(({ entry, place }) => place === 'in a child' || entry?.startsWith('skills.'))).toBe(true)
})
