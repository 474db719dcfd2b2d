// @module-tag process
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findNpm } from '../../host/src/kernel/package/run-npm.ts'
import { openTestHome } from '../support/test-home.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

test('the packed SDK is all that a new plugin needs to be checked, built and packed', { timeout: 240_000 }, async () => {
  using home = openTestHome()
  const [folder, npm] = [join(home.folder, 'toolset-dice'), findNpm(process.env)]
  const env = { ...process.env, ...home.environment, HOME: process.env.HOME ?? home.folder, npm_config_update_notifier: 'false' }
  const call = (words: readonly string[], cwd: string) =>
    run(process.execPath, [npm, ...words, '--loglevel=error'], { cwd, env, maxBuffer: 2 ** 24 })
  await call(['pack', '--pack-destination', home.folder], join(root, 'plugin-sdk'))
  await run(process.execPath, [join(root, 'host', 'bin', 'agent.mjs'), 'plugins', 'create', 'toolset', 'dice', '--dir', folder], { env })
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await call(['install', '--save-dev', '../agent-plugin-sdk-0.1.0.tgz', ...quiet], folder)
  const program = (name: string, ...words: readonly string[]) =>
    run(join(folder, 'node_modules', '.bin', name), words, { cwd: folder, env })
  expect((await program('tsc', '--pretty', 'false')).stdout).toBe('')
  expect((await program('agent-plugin', 'check')).stdout).toMatch(/^The rules hold: \d+ were tried/)
  expect((await program('agent-plugin', 'build')).stdout).toBe('toolset-dice: toolset.dice.js\n')
  expect((await call(['pack', '--json'], folder)).stdout).toContain('agent-plugin-toolset-dice-1.0.0.tgz')
  expect(existsSync(join(folder, 'agent-plugin-toolset-dice-1.0.0.tgz'))).toBe(true)
  const source = join(folder, 'src', 'toolset.ts')
  writeFileSync(source, `${readFileSync(source, 'utf8')}\nexport const wrong: Date = toolset\n`)
  const line = readFileSync(source, 'utf8').trimEnd().split('\n').length
  await expect(program('agent-plugin', 'build')).rejects.toMatchObject({
    stderr: expect.stringContaining(`toolset-dice: src/toolset.ts:${line}:14: Type`),
  })
  await expect(program('tsc', '--pretty', 'false')).rejects.toMatchObject({ stdout: expect.stringContaining(`src/toolset.ts(${line},14)`) })
})
