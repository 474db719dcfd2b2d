// @module-tag process
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildPlugin } from './build-plugin.ts'
import { checkTypes, describeTypeProblems } from './check-types.ts'
import { findSdk } from './find-sdk.ts'
import { openPluginFolder } from './plugin-folder.ts'

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  types: ['node'],
  allowImportingTsExtensions: true,
  noEmit: true,
}
const tsconfig = (more: object = {}): string => JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, include: ['src'] })
const plugin = `import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'
const tools = { roll: { description: 'd', parameters: z.strictObject({}), effect: 'none' } } as const
export default definePlugin({ id: 'toolset-x', name: 'X', description: 'd', toolsets: { x: { label: 'X', tools, entry: () => import('./x.ts') } } })
`
const entry = `import * as z from 'zod'
import { readFile } from 'node:fs/promises'
import type { Toolset } from '@agent/plugin-sdk'
import { greeting } from '@agent/plugin-sdk/testing'
export const shape = z.strictObject({ text: z.string() })
export const read = readFile
const entry: Toolset = { open: async () => ({ tools: { roll: async () => ({ ok: true, text: greeting }) } }) }
export default entry
`
const open = 'export default { open: async () => ({ tools: {} }) }\n'

test('the sources are looked at by the settings of the author, without an install; tests of the plugin are not', async () => {
  await using folder = await openPluginFolder({
    'tsconfig.json': tsconfig(),
    'src/plugin.ts': plugin,
    'src/x.ts': entry,
    'src/x.test.ts': "import { expect } from 'nothing-of-this-name'\nexpect(1)\n",
  })
  expect(await checkTypes(folder.dir, findSdk())).toEqual({ problems: [] })
  await folder.write({ 'src/x.ts': `${entry}export const wrong: number = shape.parse({}).text\n` })
  const { problems } = await checkTypes(folder.dir, findSdk())
  expect(problems).toEqual([{ path: 'src/x.ts:9:14', problem: "Type 'string' is not assignable to type 'number' (TS2322)" }])
})

test('a build with wrong types writes nothing and names file, line and what the compiler says', async () => {
  const wrong = `export const one: number = ''\nexport const other: Date = ''\n${open}`
  await using folder = await openPluginFolder({ 'tsconfig.json': tsconfig(), 'src/plugin.ts': plugin, 'src/x.ts': wrong })
  await expect(buildPlugin({ dir: folder.dir, types: true })).rejects.toMatchObject({
    code: 'PLUGIN_BUILD',
    message: expect.stringMatching(/^toolset-x: src\/x\.ts:1:14: Type 'string' .*\(TS2322\)\nsrc\/x\.ts:2:14: Type .*\(TS2322\)\.$/),
  })
  await expect(buildPlugin({ dir: folder.dir, check: true, types: true })).resolves.toMatchObject({ changed: true })
  expect(await buildPlugin({ dir: folder.dir })).toMatchObject({ outputs: ['toolset.x.js'] })
})

test('who has no tsconfig.json is not asked for types, and JavaScript is looked at where it asks for it', async () => {
  const files = {
    'src/plugin.ts': plugin.replace('./x.ts', './x.js'),
    'src/x.js': `/** @type {Date} */\nexport const x = 1\n${open}`,
  }
  await using folder = await openPluginFolder(files)
  expect(await buildPlugin({ dir: folder.dir, types: true })).not.toHaveProperty('untried')
  await folder.write({ 'tsconfig.json': tsconfig({ allowJs: true }) })
  expect((await checkTypes(folder.dir, findSdk())).problems).toEqual([])
  await folder.write({ 'tsconfig.json': tsconfig({ allowJs: true, checkJs: true }) })
  expect((await checkTypes(folder.dir, findSdk())).problems.map(({ path }) => path)).toEqual(['src/x.js:2:14'])
})

test('settings that the compiler does not know are a problem of tsconfig.json', async () => {
  await using folder = await openPluginFolder({ 'tsconfig.json': tsconfig({ nothing: 1 }), 'src/plugin.ts': plugin, 'src/x.ts': entry })
  const { problems } = await checkTypes(folder.dir, findSdk())
  expect(problems).toEqual([{ path: expect.stringMatching(/^tsconfig\.json/), problem: expect.stringContaining("'nothing'") }])
})

test('without TypeScript nothing is said to be right', async () => {
  await using folder = await openPluginFolder({ 'tsconfig.json': tsconfig(), 'src/plugin.ts': plugin, 'src/x.ts': entry })
  const sdk = { root: join(folder.dir, 'sdk'), fromSource: false }
  expect(await checkTypes(folder.dir, sdk)).toEqual({
    problems: [],
    untried: `TypeScript is not installed, so that types are not checked: run npm install in ${folder.dir}`,
  })
})

test('many problems are told by the first ten', () => {
  const problems = Array.from({ length: 12 }, (_, index) => ({ path: `src/x.ts:${index + 1}:1`, problem: 'wrong (TS1)' }))
  expect(describeTypeProblems(problems).split('\n')).toHaveLength(11)
  expect(describeTypeProblems(problems)).toContain('\nand 2 more')
})
