// @module-tag process
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { startChromium } from './chromium.ts'

/** No process has a number that large. */
const gone = join(tmpdir(), `agent-browser-${2 ** 30}-left`)
const used = join(tmpdir(), `agent-browser-${process.pid}-used`)
afterEach(() => {
  for (const folder of [gone, used]) rmSync(folder, { recursive: true, force: true })
})

test('the profile of a process that is gone is removed at the next start, and that of one that runs stays', async () => {
  for (const folder of [gone, used]) mkdirSync(folder)
  const clock = createSystemClock()
  const chromium = await startChromium({ file: '/bin/true', headed: false, sandbox: true, proxy: 9, environment: {}, clock })
  await chromium.close()
  expect([existsSync(gone), existsSync(used)]).toEqual([false, true])
})
