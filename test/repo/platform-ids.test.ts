import { expect, test } from 'vitest'
import { type PluginFolder, pluginFolders, readManifest } from './plugin-folders.ts'
import { isTest, listFiles, readText } from './source-files.ts'

const variables = 'host/src/config/environment/variables.ts'

/**
 * Where a platform's name may stand although it is not the platform's own folder: the tables of the configuration format,
 * which the specification fixes (variables) or which carry names of the past (migrations), the rows of the specification,
 * the figure of a gateway whose platforms really connect, the run that attacks the doors which listen, and this file.
 */
const exempt = new RegExp(
  `^(${variables}|host/src/config/file/migrations\\.ts|test/spec/requirements/.*|test/bench/figures/gateway-start\\.ts|test/faults/hostile/run\\.ts|test/repo/platform-ids\\.test\\.ts)$`,
)

const quoted = (name: string): string => `(['"\`])${name}\\1|platforms\\.${name}\\b`

/** Ids that are words of every program too count only where they stand as an id; a signal is a key of every call as well. */
const words: Readonly<Record<string, string>> = {
  email: quoted('email'),
  webhook: quoted('webhook'),
  signal: `(===|platform:|id:|case|\\[)\\s*(['"\`])signal\\2|platforms\\.signal\\b`,
}

const files = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) => listFiles(folder, /\.(ts|tsx|mjs)$/)).filter((file) => !file.endsWith('.gen.ts') && !exempt.test(file))

const platforms = pluginFolders.filter((folder) => folder.kind === 'platforms')
const productFiles = files('host/src', 'host/bin', 'host/install', 'plugin-sdk/src', 'plugins').filter(
  (file) => !isTest(file) && !/\/(fixtures|test|testing)\//.test(file),
)

/** A file as it stands, and its code alone. */
interface Read {
  readonly file: string
  readonly text: string
  readonly code: string
}

/** Each platform is looked for in the same files: they are read once. */
const readAll = (paths: readonly string[]): readonly Read[] =>
  paths.map((file) => {
    const text = readText(file)
    return { file, text, code: withoutComments(text) }
  })
const tests = readAll(files('test'))
const others = [...readAll(productFiles), ...tests]
const hostAndTests = [...readAll(files('host/src', 'plugin-sdk/src')), ...tests]

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

const namesOf = (read: readonly Read[]): readonly string[] => read.map(({ file }) => file)

/** The variables that only this platform knows. */
function variablesOf(folder: PluginFolder): readonly string[] {
  const known = readText(variables)
  return readManifest(folder).env.flatMap(({ name }) => (known.includes(`'${name}'`) ? [] : [name]))
}

test.each(platforms.map((folder) => [folder.name, folder] as const))('only its own folder names the platform %s', (name, folder) => {
  const word = new RegExp(words[name] ?? `(?<![\\w-])${name}(?![\\w-])`)
  const foreign = others.filter(({ file }) => !file.startsWith(`${folder.path}/`))
  expect(namesOf(foreign.filter(({ code }) => word.test(code)))).toEqual([])
  const plugin = new RegExp(`\\b${folder.id}(?![\\w-])`)
  expect(namesOf(hostAndTests.filter(({ code }) => plugin.test(code)))).toEqual([])
  // A test that needs a platform stands in its folder, and goes with it.
  const own = variablesOf(folder)
  expect(namesOf(tests.filter(({ text }) => own.some((variable) => text.includes(variable))))).toEqual([])
})
