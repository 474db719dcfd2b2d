import { expect, test } from 'vitest'
import { type Import, readImports } from './imports.ts'
import { isTest, listFiles } from './source-files.ts'

/** From the bottom up; layers of one line do not import each other. `observe` may be used by all. */
const layers: readonly (readonly string[])[] = [
  ['observe'],
  ['kernel'],
  ['config'],
  ['store'],
  ['models', 'tools', 'skills', 'mcp', 'memory', 'checkpoints', 'jobs', 'eval'],
  ['agent'],
  ['commands'],
  ['gateway', 'scheduler'],
  ['rpc'],
  ['dashboard'],
  ['cli', 'tui', 'desktop'],
]

/** Libraries that belong to one place, so that they can be replaced there. */
const owners: Readonly<Record<string, RegExp>> = {
  kysely: /^host\/src\/store\//,
  'better-sqlite3': /^host\/src\/store\//,
  yaml: /^host\/src\/(config|skills)\//,
  commander: /^host\/src\/cli\//,
  fastify: /^host\/src\/dashboard\//,
  '@agentclientprotocol/sdk': /^host\/src\/cli\/acp\//,
  '@modelcontextprotocol/server': /^host\/src\/cli\/mcp\//,
}

/** The one file for each folder of the SDK that the host uses and that the SDK does not promise to plugins. */
const doors: Readonly<Record<string, string>> = {
  'host/src/kernel/extension-host/border.ts': 'plugin-sdk/src/border/',
  'host/src/kernel/kinds.ts': 'plugin-sdk/src/kinds/',
}

function layerOf(path: string): string | undefined {
  return /^host\/src\/([^/]+)\//.exec(path)?.[1]
}

function rankOf(layer: string): number {
  return layers.findIndex((line) => line.includes(layer))
}

const sources = listFiles('host/src', /\.tsx?$/)
const imports = sources.flatMap(readImports)

function isUpward({ file, target }: Import): boolean {
  const from = layerOf(file)
  const to = layerOf(target)
  if (from === undefined || to === undefined || from === to || to === 'observe') return false
  return rankOf(to) >= rankOf(from)
}

const show = ({ file, specifier }: Import): string => `${file} imports ${specifier}`

test('every folder of the host is a layer', () => {
  const folders = new Set(sources.map((file) => layerOf(file) ?? file))
  expect([...folders].filter((folder) => rankOf(folder) < 0)).toEqual([])
})

test('imports point down', () => {
  expect(imports.filter(isUpward).map(show)).toEqual([])
})

test('another layer is imported by its name, the own one by a relative path', () => {
  const crossing = imports.filter(({ file, specifier, target }) => {
    const leaves = layerOf(file) !== layerOf(target)
    const allowed = (isTest(file) && target.startsWith('test/')) || target.startsWith(doors[file] ?? '#')
    return specifier.startsWith('.') ? leaves && !allowed : specifier.startsWith('#') && !leaves
  })
  expect(crossing.map(show)).toEqual([])
})

test('the host knows no plugin', () => {
  expect(imports.filter(({ target }) => target.startsWith('plugins/') || /^@agent\/(?!plugin-sdk$)/.test(target)).map(show)).toEqual([])
})

test.each(Object.entries(owners))('%s is imported in its own place only', (library, place) => {
  const strays = imports.filter(({ file, target }) => target === library && !place.test(file) && !isTest(file))
  expect(strays.map(show)).toEqual([])
})

test('the SDK depends on nothing in the repository', () => {
  const own = listFiles('plugin-sdk', /\.(ts|mjs)$/).flatMap(readImports)
  const strays = own.filter(
    ({ specifier, target }) =>
      specifier.startsWith('#') ||
      (specifier.startsWith('.') ? !target.startsWith('plugin-sdk/') : /^@agent\/(?!plugin-sdk$)/.test(target)),
  )
  expect(strays.map(show)).toEqual([])
})
