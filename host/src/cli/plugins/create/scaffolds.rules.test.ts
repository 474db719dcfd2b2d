// @module-tag process
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CheckReport } from '@agent/plugin-sdk/testing'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../../test/support/test-cli.ts'
import { addAuthorCommands } from '../add-author-commands.ts'
import { listKinds } from './rename-example.ts'

const installRoot = fileURLToPath(new URL('../../../../..', import.meta.url))
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaffold-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...words: string[]) =>
  runCommand(
    (cli) => {
      const plugins = new Command('plugins')
      addAuthorCommands(plugins, { ...cli, installRoot, cwd: folder })
      return plugins
    },
    words,
    { environment: { PATH: process.env.PATH } },
  )

test.each(listKinds(join(installRoot, 'plugin-sdk', 'examples')))('a new %s keeps every rule at once, without an install', async (kind) => {
  const name = 'two-words'
  const created = JSON.parse((await run('create', kind, name, '--json')).out) as { plugin: string; dir: string }
  expect(created).toMatchObject({ plugin: `${kind}-two-words`, dir: join(folder, `${kind}-two-words`) })
  expect(readdirSync(folder)).toEqual([`${kind}-two-words`])
  const { code, out } = await run('check', created.dir, '--json')
  const report = JSON.parse(out) as CheckReport
  expect(report.rules.filter(({ status }) => status === 'failed')).toEqual([])
  expect({ code, plugin: report.plugin, passed: report.passed }).toEqual({ code: 0, plugin: `${kind}-two-words`, passed: true })
  const left = readdirSync(created.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('dist'))
    .filter((entry) => /sample/i.test(readFileSync(join(entry.parentPath, entry.name), 'utf8')))
  expect(left.map(({ name: file }) => file)).toEqual([])
})
