// @module-tag process

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

test('a message takes at most 60 hops between platform, gateway and agent', async () => {
  const words = ['--conditions', 'agent-source', '--import', './test/journeys/register.mjs', 'test/journeys/main.ts', 'irc']
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, timeout: 25_000 })
  const [, hops] = /, (\d+) between platform, gateway and agent/.exec(stdout) ?? []
  expect(Number(hops)).toBeGreaterThan(10)
  expect(Number(hops)).toBeLessThanOrEqual(60)
})
