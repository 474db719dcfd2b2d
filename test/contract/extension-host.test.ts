// @module-tag process
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CodeKind, Context, Manifest } from '@agent/plugin-sdk'
import { type OpenedPlugin, type Suite, suites } from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Contribution, Installed } from '../../host/src/kernel/catalog/catalog.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { createExtensionHosts } from '../../host/src/kernel/extension-host/extension-hosts.ts'
import { bundleEntries } from '../../plugin-sdk/src/build/bundle-entries.ts'
import { findSdk } from '../../plugin-sdk/src/build/find-sdk.ts'
import { buildPlugin } from '../../plugin-sdk/src/build/index.ts'
import { findSmallest, hasFile, pluginFolders } from '../repo/plugin-folders.ts'
import { root } from '../repo/source-files.ts'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'

// All rules for one of each kind, because what they run through is the same; every other is used and ended.
const tried = pluginFolders.filter((folder) => hasFile(folder, 'test/contract.ts'))
const kinds = [...new Set(tried.map(({ kind }) => kind))]
const whole = kinds.flatMap((kind) => findSmallest(tried.filter((folder) => folder.kind === kind)) ?? []).map(({ id }) => id)
const usedAndEnded = ['receipts', 'result', 'life']

let program: BuiltProgram
let folder: string
beforeAll(async () => {
  program = await buildChildProgram()
  folder = await realpath(await mkdtemp(join(tmpdir(), 'contract-')))
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

for (const { id, path } of tried) {
  const { manifest, entries } = await buildPlugin({ dir: join(root, path), check: true })
  const { openWorld } = (await import(/* @vite-ignore */ pathToFileURL(join(root, path, 'test', 'contract.ts')).href)) as {
    openWorld(contribution: string): Promise<never>
  }
  beforeAll(async () => {
    await mkdir(join(folder, id))
    await writeFile(join(folder, id, 'package.json'), '{ "type": "module" }')
    await bundleEntries(join(root, path), id, entries, findSdk(), { dist: join(folder, id, 'dist') })
  })
  for (const { name } of entries) {
    const [kind, contribution] = name.split(/\.(.*)/) as [CodeKind, string]
    describe(`${id}, ${name}`, () => {
      const open = async (): Promise<OpenedPlugin<CodeKind>> => {
        const plugin: Installed = { manifest: asOutsider(manifest), root: join(folder, id), source: 'local', warnings: [] }
        const spec = { entry: `dist/${name}.js` }
        return openInHost({ kind, id: contribution, plugin, spec, settings: { key: '', value: {} } } as Contribution)
      }
      const subject = { kind, manifest, contribution, place: 'extension host', open }
      for (const { rule, title, run } of (suites[kind] as Suite<CodeKind>)({ subject, world: () => openWorld(contribution) })) {
        if (!whole.includes(id) && !usedAndEnded.includes(rule)) continue
        test(`${rule}: ${title}`, run)
      }
    })
  }
}

/** The services are made up and listen on this machine; what runs programs here lets them work in the workspace. */
function asOutsider(manifest: Manifest): Manifest {
  const reason = 'made up'
  const { net, run, fs } = manifest.permissions
  const { value = 'none' } = net ?? {}
  const workspace = run && !fs ? { fs: { value: { read: [], write: ['$workspace'] }, reason } } : {}
  const network = { net: { value: [...(Array.isArray(value) ? value : [value]), 'private'], reason } }
  return { ...manifest, permissions: { ...manifest.permissions, ...workspace, ...network } }
}

/** The plugin as the host runs one of somebody else, with what a suite wants to know about it. */
async function openInHost(contribution: Contribution): Promise<OpenedPlugin<CodeKind>> {
  const { plugin } = contribution
  const problems: string[] = []
  const said: string[] = []
  const note = (text: string, fields?: object): void => void said.push(`${text} ${JSON.stringify(fields)}`)
  const hosts = createExtensionHosts({
    ...{
      program: program.file,
      homes: () => [folder],
      userHome: folder,
      data: join(folder, 'data'),
      memories: tmpdir(),
      isOwnDoor: async () => false,
      workspace: tmpdir(),
      settings: { entries: {} },
      plugins: [plugin],
      clock: systemClock,
    },
    quarantine: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
    log: {
      debug: note,
      info: note,
      error: note,
      warn: (text, fields) => void (text.startsWith('an effect') ? problems.push(String(fields?.problem)) : note(text, fields)),
    },
  })
  const entry = (await hosts.load(contribution, 0)) as Record<string, (context: Context, call: unknown) => unknown>
  const effects: (() => unknown)[] = []
  const withEffects = (run: (context: Context, call: unknown) => unknown) => (context: Context, call: unknown) =>
    run({ ...context, effect: (effect) => void effects.push(effect) }, call)
  return {
    entry: Object.fromEntries(Object.entries(entry).map(([name, run]) => [name, withEffects(run)])) as never,
    control: {
      dispose: async () => {
        for (const effect of effects.splice(0).reverse()) await effect()
        return problems.splice(0)
      },
      busy: async () => (await hosts.inspect(contribution))?.busy ?? 0,
      resources: async () => (await hosts.inspect(contribution))?.resources ?? [],
      violations: async () => [],
    },
    said: () => said.join('\n'),
    late: () => [],
    [Symbol.asyncDispose]: () => hosts.close(),
  }
}
