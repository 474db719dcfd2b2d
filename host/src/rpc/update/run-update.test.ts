// @module-tag process
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { runUpdate } from './run-update.ts'

/** An installation whose program is this text. */
function install(home: TestHome, program: string): string {
  const place = join(home.folder, 'installed')
  mkdirSync(join(place, 'host', 'bin'), { recursive: true })
  writeFileSync(join(place, 'host', 'bin', 'agent.mjs'), program)
  return place
}

const context = (home: TestHome, program: string, signal = new AbortController().signal) => ({
  ...{ installRoot: install(home, program), environment: home.environment, profile: undefined, signal },
})

test.each([
  [
    `console.error('Asking the server …\\nagent: It is no git checkout. Update it by npm.'); process.exitCode = 1`,
    'It is no git checkout. Update it by npm.',
  ],
  ['process.exitCode = 3', 'The update ended without a word (code 3).'],
])('an update that fails says why: %s', async (program, said) => {
  using home = openTestHome()
  expect(await runUpdate(context(home, program), 'bring')).toBe(said)
})

test('an update that is interrupted is told to go back, and waited for', async () => {
  using home = openTestHome()
  const stop = new AbortController()
  const program = `
import { writeFileSync } from 'node:fs'
process.once('SIGTERM', () => setTimeout(() => {
  console.error('agent: Everything is as before.')
  process.exit(130)
}, 50))
writeFileSync('began', '')
setInterval(() => undefined, 1000)
`
  const updated = runUpdate(context(home, program, stop.signal), 'bring')
  await expect.poll(() => existsSync(join(home.home, 'began')), { timeout: 10_000 }).toBe(true)
  stop.abort(new Error('enough'))
  expect(await updated).toBe('Everything is as before.')
})
