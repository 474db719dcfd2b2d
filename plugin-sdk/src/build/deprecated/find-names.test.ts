// @module-tag process
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkTypes } from '../check-types.ts'
import { openPluginFolder } from '../plugin-folder.ts'

const since = 'since 0.2.0, served until 1.0.0'
const declarations = `// Ünïcode 😀
/** Opens. @deprecated ${since}: use \`openNew\`. */
export declare function open(): void
export interface Context {
  /** The time.
   * @deprecated ${since}:
   * use clock. */
  readonly then: number
}
/** @deprecated ${since}: use Context. */
export interface OldContext { readonly id: string }
`
const used = `import { type Context, type OldContext, open } from '@agent/plugin-sdk'
import { old } from './own.ts'
/* 😀 */ open()
export const when = (context: Context): number => context.then
export const own = old('ab'.substr(1))
export type Mine = OldContext
`
const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, types: [], allowImportingTsExtensions: true, noEmit: true }
const row = { name: 'open', since: '0.2.0', until: '1.0.0', use: '`openNew`' }
const table = (names: readonly object[]): string => JSON.stringify({ names, fields: [], contracts: [] })

const files = {
  'sdk/package.json': JSON.stringify({ name: '@agent/plugin-sdk', exports: { '.': { types: './dist/types/index.d.ts' } } }),
  'sdk/dist/types/index.d.ts': declarations,
  'sdk/deprecated.json': table([row]),
  'plugin/tsconfig.json': JSON.stringify({ compilerOptions, include: ['src'] }),
  'plugin/src/x.ts': used,
  'plugin/src/x.test.ts': used,
  'plugin/src/own.ts': '/** @deprecated since yesterday */\nexport const old = (text: string): string => text\n',
}

/** Beside the SDK lies the TypeScript of this repository. */
async function openFolders() {
  const { symlink } = await import('node:fs/promises')
  const folder = await openPluginFolder(files)
  await symlink(join(import.meta.dirname, '..', '..', '..', '..', 'node_modules'), join(folder.dir, 'node_modules'))
  const sdk = { root: join(folder.dir, 'sdk'), fromSource: false }
  return { ...folder, check: () => checkTypes(join(folder.dir, 'plugin'), sdk) }
}

test('each place that uses a deprecated name of the SDK is told with what to use, and nothing is wrong', async () => {
  await using folder = await openFolders()
  const { problems, notices } = await folder.check()
  expect(problems).toEqual([])
  expect([...(notices ?? [])].sort()).toEqual([
    `src/x.ts:1:24: OldContext is deprecated ${since}: use Context.`,
    `src/x.ts:1:41: open is deprecated ${since}: use \`openNew\`.`,
    `src/x.ts:3:10: open is deprecated ${since}: use \`openNew\`.`,
    `src/x.ts:4:59: then is deprecated ${since}: use clock.`,
    `src/x.ts:6:20: OldContext is deprecated ${since}: use Context.`,
  ])
})

test('nobody looks where the table has no names, and wrong types are told alone', async () => {
  await using folder = await openFolders()
  await folder.write({ 'sdk/deprecated.json': table([]) })
  expect(await folder.check()).toEqual({ problems: [] })
  await folder.write({ 'sdk/deprecated.json': table([row]), 'plugin/src/own.ts': "export const old: number = ''\n" })
  expect(await folder.check()).toMatchObject({ problems: [{}, {}] })
  expect(await folder.check()).not.toHaveProperty('notices')
})

test('an older TypeScript says that names were not looked for', async () => {
  await using folder = await openFolders()
  await folder.write({
    'plugin/node_modules/typescript/package.json': '{ "type": "module" }',
    'plugin/node_modules/typescript/bin/tsc': '',
  })
  expect(await folder.check()).toEqual({ problems: [], notices: ['Deprecated names were not looked for, which needs TypeScript 7.'] })
})
