import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pluginFolders } from './plugin-folders.ts'
import { readJson, root } from './source-files.ts'

const folders = ['plugin-sdk', 'host', ...pluginFolders.map((folder) => folder.path)]

test('every package carries the version, license and privacy of the repository', () => {
  const { version, license } = readJson('package.json')
  for (const folder of folders)
    expect(readJson(`${folder}/package.json`), folder).toMatchObject({ version, license, private: true, type: 'module' })
})

test('libraries are pinned, and one library has one version everywhere', () => {
  const wanted = folders.flatMap((folder) => {
    const { dependencies, devDependencies } = readJson(`${folder}/package.json`) as Readonly<Record<string, Record<string, string>>>
    return Object.entries({ ...dependencies, ...devDependencies })
  })
  const outside = wanted.filter(([name]) => !name.startsWith('@agent/'))
  expect(outside.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  const versions = new Map(outside)
  expect(outside.filter(([name, version]) => versions.get(name) !== version)).toEqual([])
})

test('the SDK has its agreed entry points, each with a source', () => {
  const entries = Object.entries(readJson('plugin-sdk/package.json').exports as Record<string, { 'agent-source': string }>)
  const agreed = ['.', './testing', './http', './oauth', './errors']
  expect(entries.filter(([name]) => !agreed.includes(name))).toEqual([])
  expect(entries.filter(([, conditions]) => !existsSync(join(root, 'plugin-sdk', conditions['agent-source'])))).toEqual([])
})

test('both places that npm links the program from point to the committed file', () => {
  expect(readJson('package.json').bin).toEqual({ agent: 'host/bin/agent.mjs' })
  expect(readJson('host/package.json').bin).toEqual({ agent: 'bin/agent.mjs' })
  expect(existsSync(join(root, 'host/bin/agent.mjs'))).toBe(true)
})
