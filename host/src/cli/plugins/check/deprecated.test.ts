// @module-tag process
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { served } from '#kernel/catalog/find-misfit.ts'
import { readDeprecations } from '#kernel/kinds.ts'
import { runCommand } from '../../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../../test/support/test-home.ts'
import { command as doctor } from '../../commands/doctor.ts'
import { addAuthorCommands } from '../add-author-commands.ts'

const repository = fileURLToPath(new URL('../../../../..', import.meta.url))
const row = { since: '0.2.0', until: '1.0.0' }
const ends = 'since 0.2.0, served until 1.0.0: use'
const deprecated = {
  names: [{ name: 'defineTools', ...row, use: 'declareTools' }],
  fields: [{ field: 'toolsets.*.tools.*.parallel', ...row, use: 'atOnce' }],
  contracts: [{ contract: 'toolset', version: 1, ...row, use: 'version 2' }],
}

/** This program with an SDK in which something is deprecated, and a plugin that uses it. */
const install = realpathSync(mkdtempSync(join(tmpdir(), 'deprecated-')))
const plugin = join(install, 'toolset')
const sdk = join(install, 'plugin-sdk')

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

beforeAll(() => {
  const isWanted = (path: string): boolean => !/\/(node_modules|dist|golden|docs)$/.test(path) && !path.endsWith('.test.ts')
  cpSync(join(repository, 'plugin-sdk'), sdk, { recursive: true, filter: isWanted })
  for (const name of ['node_modules', 'plugins', 'package.json', 'host']) symlinkSync(join(repository, name), join(install, name))
  edit(join(sdk, 'src/kinds/define.ts'), '/** Declares the tools of a toolset;', `/** @deprecated ${ends} declareTools. */\n// Declares`)
  writeFileSync(join(sdk, 'deprecated.json'), JSON.stringify(deprecated))
  cpSync(join(sdk, 'examples', 'toolset'), plugin, { recursive: true })
  cpSync(join(sdk, 'scaffold', 'tsconfig.json'), join(plugin, 'tsconfig.json'))
})
afterAll(() => rmSync(install, { recursive: true, force: true }))

const notices = [
  `src/plugin.ts: version 1 of the contract toolset is deprecated ${ends} version 2.`,
  `src/plugin.ts: toolsets.sample.tools.sample_wait.parallel is deprecated ${ends} atOnce.`,
  `src/tools.ts:1:10: defineTools is deprecated ${ends} declareTools.`,
  `src/tools.ts:4:22: defineTools is deprecated ${ends} declareTools.`,
]
const run = (...words: string[]) =>
  runCommand(
    (cli) => {
      const plugins = new Command('plugins')
      addAuthorCommands(plugins, cli)
      return plugins
    },
    words,
    { environment: { PATH: process.env.PATH }, installRoot: install, cwd: plugin },
  )

test('agent-plugin build tells it too', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [join(sdk, 'bin', 'agent-plugin.mjs'), 'build', plugin])
  expect(stderr.trim().split('\n').sort()).toEqual(notices.map((notice) => `Note: ${notice}`).sort())
})

test('build and check tell the author the place and what to use, and nothing fails', async () => {
  const built = await run('build', '.', '--json')
  expect([built.code, [...JSON.parse(built.out).notices].sort()]).toEqual([0, notices.toSorted()])
  expect(built.note.trim().split('\n').sort()).toEqual(notices.map((notice) => `Note: ${notice}`).sort())
  const { code, out } = await run('check', '.', '--only', 'types', '--json')
  expect(code).toBe(0)
  const { passed, notes } = JSON.parse(out)
  expect([passed, [...notes].sort()]).toEqual([true, expect.arrayContaining(notices)])
})

test('the doctor tells the operator what will end, and what to do, by where the plugin comes from', async () => {
  using home = openTestHome()
  cpSync(plugin, join(home.home, 'plugins', 'local', 'toolset-sample'), { recursive: true })
  const { out } = await runCommand(doctor, ['--json'], { environment: home.environment, installRoot: install })
  const found = (JSON.parse(out).findings as { check: string; detail: string; fix: string }[]).filter(({ check }) => check === 'deprecated')
  const ending = 'which is deprecated since 0.2.0 and served until 1.0.0'
  const root = realpathSync(join(home.home, 'plugins', 'local', 'toolset-sample'))
  const fix = `agent plugins check ${root} says what to use instead; tell its author where that is not you`
  expect(found.filter(({ detail }) => detail.startsWith('toolset-sample '))).toEqual([
    { check: 'deprecated', verdict: 'warning', detail: `toolset-sample uses version 1 of the contract toolset, ${ending}`, fix },
    { check: 'deprecated', verdict: 'warning', detail: `toolset-sample uses toolsets.sample.tools.sample_wait.parallel, ${ending}`, fix },
  ])
  // Plugins that came with the program go with it.
  const others = found.filter(({ detail }) => !detail.startsWith('toolset-sample '))
  expect(others.length).toBeGreaterThan(0)
  expect(new Set(others.map((each) => each.fix))).toEqual(new Set(['agent update']))
})

test('where nothing is deprecated the doctor says so in one line', async () => {
  using home = openTestHome()
  const { out } = await runCommand(doctor, ['--json'], { environment: home.environment, installRoot: repository })
  expect(JSON.parse(out).findings).toContainEqual({ check: 'deprecated', verdict: 'ok', detail: 'no plugin uses what will end' })
})

test('every version of a contract that is deprecated is still served', async () => {
  const { contracts } = await readDeprecations(join(repository, 'plugin-sdk'))
  expect(contracts.filter(({ version }) => !served.includes(version))).toEqual([])
})
