import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { readImports } from './imports.ts'
import { isTest, listFiles, readJson } from './source-files.ts'

const most = 20
const code = ['host', 'plugin-sdk', 'plugins', 'test']
  .flatMap((folder) => listFiles(folder, /\.(ts|tsx|mjs)$/))
  .filter((file) => !isTest(file))
const product = code.filter((file) => !file.startsWith('test/'))
const known = new Set(code)
const sdk = entryPoints()
/** What each file imports of the repository, types and lazy imports included. */
const graph = new Map(
  product.map((file) => [file, [...new Set(readImports(file).flatMap(({ specifier, target }) => findFile(specifier, target)))]]),
)

/** The entry points of the SDK, by the names under which they are imported. */
function entryPoints(): Readonly<Record<string, string>> {
  const { exports } = readJson('plugin-sdk/package.json') as { exports: Record<string, { 'agent-source': string }> }
  return Object.fromEntries(
    Object.entries(exports).map(([name, { 'agent-source': file }]) => [join('@agent/plugin-sdk', name), join('plugin-sdk', file)]),
  )
}

function findFile(specifier: string, target: string): readonly string[] {
  const file = sdk[specifier] ?? target
  return known.has(file) ? [file] : []
}

/** Files that reach themselves, one circle for each. */
function findCircles(): readonly string[] {
  const done = new Set<string>()
  const path: string[] = []
  const circles: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file].join(' → '))
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    path.pop()
    done.add(file)
  }
  for (const file of product) visit(file)
  return circles
}

test(`no folder holds more than ${most} files beside tests`, () => {
  const counts = new Map<string, number>()
  for (const file of code) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > most)).toEqual([])
})

test('no file reaches itself by its imports, types included', () => {
  expect(findCircles()).toEqual([])
})

test('no two folders import each other, types included', () => {
  const arrows = new Map<string, string>()
  for (const [file, targets] of graph) {
    for (const target of targets)
      if (dirname(target) !== dirname(file)) arrows.set(`${dirname(file)} ${dirname(target)}`, `${file} → ${target}`)
  }
  const mutual = [...arrows].flatMap(([key]) => arrows.get(key.split(' ').reverse().join(' ')) ?? [])
  expect(mutual.sort()).toEqual([])
})
