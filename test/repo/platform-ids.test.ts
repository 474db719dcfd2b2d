import { expect, test } from 'vitest'
import { pluginFolders } from './plugin-folders.ts'
import { isTest, listFiles, readText } from './source-files.ts'

/**
 * Where a platform's name may stand although it is not the platform's own folder: the tables of the configuration format,
 * which the specification fixes (variables) or which carry names of the past (migrations).
 */
const tables = new Set(['host/src/config/variables.ts', 'host/src/config/migrations.ts'])

const quoted = (name: string): string => `(['"\`])${name}\\1|platforms\\.${name}\\b`

/** Ids that are words of every program too count only where they stand as an id; a signal is a key of every call as well. */
const words: Readonly<Record<string, string>> = {
  email: quoted('email'),
  webhook: quoted('webhook'),
  signal: `(===|platform:|id:|case|\\[)\\s*(['"\`])signal\\2|platforms\\.signal\\b`,
}

const platforms = pluginFolders.filter((folder) => folder.kind === 'platforms')
const code = ['host/src', 'host/bin', 'host/install', 'plugin-sdk/src', 'plugins']
  .flatMap((folder) => listFiles(folder, /\.(ts|tsx|mjs)$/))
  .filter((file) => !isTest(file) && !/\/(fixtures|testing)\//.test(file) && !file.endsWith('.gen.ts') && !tables.has(file))

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

test.each(platforms.map((folder) => [folder.name, folder] as const))('only its own folder names the platform %s', (name, folder) => {
  const word = new RegExp(words[name] ?? `(?<![\\w-])${name}(?![\\w-])`)
  expect(code.filter((file) => !file.startsWith(`${folder.path}/`) && word.test(withoutComments(readText(file))))).toEqual([])
})
