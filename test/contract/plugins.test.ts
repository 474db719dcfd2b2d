// @module-tag process
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CodeKind } from '@agent/plugin-sdk'
import {
  bundleChild,
  type ChildProgram,
  type Entries,
  type OpenedPlugin,
  openClone,
  type SharedChild,
  type Suite,
  shareChild,
  suites,
} from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuildResult, buildPlugin } from '../../plugin-sdk/src/build/index.ts'
import { pluginFolders } from '../repo/plugin-folders.ts'
import { root } from '../repo/source-files.ts'

interface Contract {
  openWorld(contribution: string): Promise<never>
}

const built = await Promise.all(
  pluginFolders.map(async (folder) => ({ folder, built: await buildPlugin({ dir: join(root, folder.path), check: true }) })),
)
const tried = built.filter((plugin) => plugin.built.entries.length > 0)

test('every plugin with code says how its contract is tried, in test/contract.ts', () => {
  const without = tried.filter(({ folder }) => !existsSync(join(root, folder.path, 'test', 'contract.ts')))
  expect(without.map(({ folder }) => folder.path)).toEqual([])
})

const load = async <T>(file: string): Promise<T> => (await import(/* @vite-ignore */ pathToFileURL(file).href)) as T

for (const { folder, built } of tried) {
  const file = join(root, folder.path, 'test', 'contract.ts')
  if (!existsSync(file)) continue
  const { openWorld } = await load<Contract>(file)
  for (const entry of built.entries) describe(`${folder.id}, ${entry.name}`, () => register(built.manifest, entry, openWorld))
}

function register(
  manifest: BuildResult['manifest'],
  { name, source }: BuildResult['entries'][number],
  openWorld: Contract['openWorld'],
): void {
  const dot = name.indexOf('.')
  const kind = name.slice(0, dot) as CodeKind
  const contribution = name.slice(dot + 1)
  let program: ChildProgram
  let child: SharedChild<CodeKind>
  beforeAll(async () => {
    program = await bundleChild(kind, source)
    child = shareChild(kind, program.file, manifest)
  })
  afterAll(async () => {
    await child[Symbol.asyncDispose]()
    await program[Symbol.asyncDispose]()
  })
  const borders: Record<string, () => Promise<OpenedPlugin<CodeKind>>> = {
    'cloning border': async () => openClone(kind, (await load<{ default: Entries[CodeKind] }>(source)).default, manifest),
    'child process': () => child.open(),
  }
  for (const [place, open] of Object.entries(borders)) {
    const subject = { kind, manifest, contribution, place, open }
    for (const { rule, title, run } of (suites[kind] as Suite<CodeKind>)({ subject, world: () => openWorld(contribution) })) {
      test(`${rule}: ${title}`, run)
    }
  }
}
