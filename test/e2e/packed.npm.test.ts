// @module-tag process
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findNpm } from '../../host/src/kernel/package/run-npm.ts'
import { openTestHome } from '../support/test-home.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

test('npm pack makes a package that installs into an empty folder and holds a conversation', { timeout: 180_000 }, async () => {
  using home = openTestHome()
  const [folder, npm] = [join(home.folder, 'empty'), findNpm(process.env)]
  mkdirSync(folder)
  const environment = { ...process.env, ...home.environment, HOME: process.env.HOME ?? home.folder, npm_config_update_notifier: 'false' }
  const call = (words: readonly string[], cwd: string) =>
    run(process.execPath, [npm, ...words, '--loglevel=error'], { cwd, env: environment, maxBuffer: 2 ** 24 })
  await call(['pack', '--pack-destination', home.folder], root)
  await call(['install', '../agent-0.1.0.tgz', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], folder)
  const program = join(folder, 'node_modules', '.bin', 'agent')
  const start = (...words: readonly string[]) => run(program, words, { cwd: folder, env: home.environment })
  expect((await start('--version')).stdout).toBe('agent 0.1.0\n')
  expect((await start('chat', '-z', 'hello')).stdout).toContain('I am the offline model')
  expect((await start('chat', '-c', '-z', 'run echo it works')).stdout).toContain('That is all')
  expect((await start('skills', 'install', 'optional:meal-plan')).stdout).toBe('meal-plan is installed.\n')
  expect((await start('plugins', 'list')).stdout).toContain('toolset-terminal')
  expect((await start('plugins', 'create', 'toolset', 'dice')).stdout).toContain('npx agent plugins check')
  expect(existsSync(join(folder, 'toolset-dice', 'tsconfig.json'))).toBe(true)
  const built = await start('plugins', 'build', 'toolset-dice')
  expect(built.stderr).toContain('TypeScript is not installed, so that types are not checked')
  const tried = await start('plugins', 'check', 'toolset-dice', '--only', 'types')
  expect(tried.stdout).toMatch(/^skipped types: .*\n {4}TypeScript is not installed/)
  expect(built.stdout).toBe('toolset-dice 1.0.0: toolset.dice.js\n')
})
