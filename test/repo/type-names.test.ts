import { expect, test } from 'vitest'
import { pluginFolders } from './plugin-folders.ts'
import { isTest, listFiles, readText } from './source-files.ts'

/** What the dashboard's REST answers has the names of the browser that reads it. */
const wire = 'host/src/dashboard/api.ts'

const sources = (folder: string): readonly string[] =>
  listFiles(folder, /\.ts$/).filter((file) => !isTest(file) && !file.includes('/testing/') && file !== wire)

/** Exported type names that are declared in more than one file. */
function findTwins(files: readonly string[]): readonly string[] {
  const places = new Map<string, string[]>()
  for (const file of files) {
    for (const [, name = ''] of readText(file).matchAll(/^export (?:interface|type) (\w+)/gm))
      places.set(name, [...(places.get(name) ?? []), file])
  }
  return [...places].filter(([, found]) => found.length > 1).map(([name, found]) => `${name}: ${found.join(', ')}`)
}

test('an exported type name of the host or the SDK means one thing', () => {
  expect(findTwins([...sources('host/src'), ...sources('plugin-sdk/src')])).toEqual([])
})

test('an exported type name of a plugin means one thing', () => {
  expect(pluginFolders.flatMap(({ path }) => findTwins(listFiles(path, /\/src\/.*\.ts$/).filter((file) => !isTest(file))))).toEqual([])
})
