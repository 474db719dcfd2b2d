// @module-tag process
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../repo/source-files.ts'

const kind = join(import.meta.dirname, 'toy-kind')
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'toy-kind-')))

/** New files of the kind, by their fixtures. */
const added = {
  'contract.ts.txt': 'plugin-sdk/src/kinds/greeter.ts',
  'suite.ts.txt': 'plugin-sdk/src/testing/contract/greeter.ts',
  'consumer.ts.txt': 'host/src/tools/greetings.ts',
}
/** Lines that go into files that are there, each before a line that begins so. */
const rows = {
  'plugin-sdk/src/kinds/kinds.ts': [
    ['import { type Hooks, ', "import { type Greeter, greeterKind } from './greeter.ts'"],
    ['export type { Hooks, ', "export type { Greeter, GreeterManifest, OpenGreeter } from './greeter.ts'"],
    [
      '  hooks: { ...opened',
      "  greeter: { ...opened, list: 'greeters', title: 'greeter', gives: 'openGreeter', members: { greet: call } },",
    ],
    ['  hooks: hooksKind,', '  greeter: greeterKind,'],
    ['  readonly hooks: Hooks<C>', '  readonly greeter: Greeter<C>'],
  ],
  'plugin-sdk/src/testing/contract/suites.ts': [
    ['import { hooksContract }', "import { greeterContract } from './greeter.ts'"],
    [
      'export { hooksContract }',
      "export type { GreeterContractOptions, GreeterWorld } from './greeter.ts'\nexport { greeterContract } from './greeter.ts'",
    ],
    ['  hooks: hooksContract,', '  greeter: greeterContract,'],
  ],
} as const
/** A plugin of the kind, and what looks at it: no part of the kind. */
const besides = {
  'consumer.test.ts.txt': 'test/contract/consumer.test.ts',
  'plugin/package.json': 'plugins/greeters/sample/package.json',
  'plugin/src/plugin.ts.txt': 'plugins/greeters/sample/src/plugin.ts',
  'plugin/src/greeter.ts.txt': 'plugins/greeters/sample/src/greeter.ts',
  'plugin/contract.ts.txt': 'plugins/greeters/sample/test/contract.ts',
}

beforeAll(() => {
  for (const folder of ['plugin-sdk', 'host', 'test']) cpSync(join(root, folder), join(copy, folder), { recursive: true, filter: isSource })
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(copy, file))
  linkModules()
  for (const [fixture, file] of Object.entries({ ...added, ...besides })) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), readFileSync(join(kind, fixture)))
  }
  for (const [file, lines] of Object.entries(rows)) {
    const text = lines.reduce((before, [line, more]) => insert(before, line, more), readFileSync(join(copy, file), 'utf8'))
    writeFileSync(join(copy, file), text)
  }
}, 60_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Without the tests, but for those of contracts. */
function isSource(path: string): boolean {
  return (
    !/\/(node_modules|dist|dist\.tmp|golden|examples|toy-kind.*|e2e|faults|bench|docs)$/.test(path) &&
    (!path.endsWith('.test.ts') || path.includes('/test/contract/'))
  )
}

/** The libraries of the repository, and the SDK of the copy. */
function linkModules(): void {
  const modules = join(root, 'node_modules')
  mkdirSync(join(copy, 'node_modules', '@agent'), { recursive: true })
  for (const name of readdirSync(modules))
    if (name !== '@agent') symlinkSync(realpathSync(join(modules, name)), join(copy, 'node_modules', name))
  symlinkSync(join(copy, 'plugin-sdk'), join(copy, 'node_modules', '@agent', 'plugin-sdk'))
}

function insert(text: string, line: string, more: string): string {
  expect(text.split(`\n${line}`), `one line begins with ${line}`).toHaveLength(2)
  return text.replace(`\n${line}`, () => `\n${more}\n${line}`)
}

function run(script: string, args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  return { status, said: stdout + stderr }
}

interface Result {
  readonly status: string
  readonly title: string
  readonly failureMessages: readonly string[]
}

test('a kind of contribution is two rows, its contract, its suite and its consumer', () => {
  const files = [...Object.values(added), ...Object.keys(rows)]
  expect(files).toHaveLength(5)
  expect(Object.keys(rows).every((file) => existsSync(join(root, file)))).toBe(true)
  expect(Object.values(added).some((file) => existsSync(join(root, file)))).toBe(false)
})

test('with these files every part of the program compiles', () => {
  const include = ['plugin-sdk/src', 'host/src', 'plugins', 'test/contract']
  writeFileSync(join(copy, 'tsconfig.toy.json'), JSON.stringify({ extends: './tsconfig.json', include }))
  expect(run(join('node_modules', 'typescript', 'bin', 'tsc'), ['-p', 'tsconfig.toy.json'])).toEqual({ status: 0, said: '' })
}, 120_000)

test('a plugin of the kind is built, holds its contract in process, in a child and in an extension host, and is used', () => {
  const config = { resolve: { conditions: ['agent-source'] }, ssr: { resolve: { conditions: ['agent-source'] } } }
  writeFileSync(
    join(copy, 'vitest.config.mjs'),
    `export default ${JSON.stringify({ ...config, test: { include: ['test/contract/*.test.ts'], testTimeout: 30_000, tags: [{ name: 'process' }] } })}\n`,
  )
  expect(run(join('plugin-sdk', 'bin', 'agent-plugin.mjs'), ['build', 'plugins/greeters/sample']).status).toBe(0)
  const { status, said } = run(join('node_modules', 'vitest', 'vitest.mjs'), ['run', '--reporter=json', '--outputFile=result.json'])
  const { testResults } = JSON.parse(readFileSync(join(copy, 'result.json'), 'utf8')) as {
    readonly testResults: readonly { readonly message: string; readonly assertionResults: readonly Result[] }[]
  }
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(all.filter((one) => one.status !== 'passed')).toEqual([])
  expect({ status, problems: testResults.map(({ message }) => message).filter(Boolean) }, said).toEqual({ status: 0, problems: [] })
  for (const place of ['cloning border', 'child process', 'extension host'])
    expect(all.map(({ title }) => title)).toContain(`greeting: a greeting names the person (${place})`)
  expect(all.map(({ title }) => title)).toContain('a greeter is listed, opened at its first use and replaced by a reload')
}, 120_000)
