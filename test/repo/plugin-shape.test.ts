import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { specsOf } from '../../plugin-sdk/src/kinds/kinds.ts'
import { readImports } from './imports.ts'
import { hasFile, kindOfFolder, pluginFolders, readManifest } from './plugin-folders.ts'
import { isTest, listFiles, readJson, readText, root } from './source-files.ts'

const allowed = ['package.json', 'agent.plugin.json', 'src', 'test', 'fixtures', 'dist', 'dist.tmp', 'node_modules']
const platformFiles = ['plugin.ts', 'connection.ts', 'inbound.ts', 'outbound.ts', 'wire.ts']

/** Tests, and what several of them share. */
const holdsTests = (file: string): boolean => isTest(file) || file.includes('/test/')

test('plugins lie in folders of known kinds', () => {
  expect(pluginFolders.filter((folder) => !kindOfFolder.has(folder.kind)).map((folder) => folder.path)).toEqual([])
})

describe.each(pluginFolders.map((folder) => [folder.path, folder] as const))('%s', (path, folder) => {
  const about = readJson(`${path}/package.json`)
  const hasCode = hasFile(folder, 'src')

  test('holds the files of a plugin and no others', () => {
    expect(readdirSync(join(root, path)).filter((name) => !allowed.includes(name) && !/^[A-Z]+\.md$/.test(name))).toEqual([])
    expect(hasFile(folder, 'src/plugin.ts')).toBe(hasCode)
  })

  test('has one name in folder, package and manifest', () => {
    const manifest = readManifest(folder)
    expect(about.name).toBe(`@agent/${folder.id}`)
    expect(manifest.id).toBe(folder.id)
    expect(manifest.version).toBe(about.version)
    const kind = kindOfFolder.get(folder.kind)
    expect(kind && specsOf(manifest, kind).map(({ id }) => id)).toContain(folder.name)
  })

  test('has a README that tells how to set it up', () => {
    const text = readText(`${path}/README.md`)
    expect(text).toMatch(/^# \S/)
    if (hasCode && folder.kind !== 'providers') expect(text).toMatch(/^## Settings$/m)
  })

  test('imports the SDK, its own dependencies and itself', () => {
    const dependencies = Object.keys(about.dependencies ?? {})
    const forTests = ['vitest', ...Object.keys(about.devDependencies ?? {})]
    const strays = listFiles(path, /\.ts$/)
      .flatMap(readImports)
      .filter(({ file, specifier, target }) => {
        if (specifier.startsWith('node:')) return false
        if (holdsTests(file) && (forTests.includes(target) || /^test\/(support|spec)\//.test(target))) return false
        // What the plugin does in a real gateway and in the dashboard is tested beside it: nothing is left over when its folder goes.
        if (/\/src\/(gateway|dashboard)(-[a-z]+)?\.test\.ts$/.test(file) && /^((host|test)\/|playwright-core$)/.test(target)) return false
        if (specifier === '@agent/plugin-sdk/testing') return !holdsTests(file)
        return specifier.startsWith('.') ? !target.startsWith(`${path}/`) : !dependencies.includes(target)
      })
    expect(strays.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([])
  })

  // A door that is asked and answers at once has other parts.
  if (folder.kind === 'platforms' && readManifest(folder).contributes.platforms.some(({ door }) => door === 'messaging')) {
    test('has the five files of a messaging platform', () => {
      expect(platformFiles.filter((file) => !hasFile(folder, `src/${file}`))).toEqual([])
    })
  }
})
