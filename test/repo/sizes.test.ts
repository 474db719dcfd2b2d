import { dirname } from 'node:path/posix'
import { expect, test } from 'vitest'
import { pluginFolders, readManifest } from './plugin-folders.ts'
import { isTest, listFiles, readText } from './source-files.ts'

const code = ['host', 'plugin-sdk', 'plugins', 'test', '.ci'].flatMap((folder) => listFiles(folder, /\.(ts|tsx|mjs)$/))
const linesOf = (file: string): number => readText(file).split('\n').length - 1

test('a source file has at most 400 lines, a test file 600', () => {
  const long = code.filter((file) => !file.endsWith('.gen.ts') && linesOf(file) > (isTest(file) ? 600 : 400))
  expect(long.map((file) => `${file}: ${linesOf(file)}`)).toEqual([])
})

test('a messaging platform has at most 1,400 lines of source, each folder in it for itself', () => {
  const big = pluginFolders
    .filter((folder) => folder.kind === 'platforms' && readManifest(folder).contributes.platforms.some(({ door }) => door === 'messaging'))
    .flatMap((folder) => {
      const files = listFiles(`${folder.path}/src`, /\.ts$/).filter((file) => !isTest(file))
      return [...new Set(files.map((file) => dirname(file)))].map((path) => {
        const own = files.filter((file) => dirname(file) === path)
        return { path, lines: own.reduce((sum, file) => sum + linesOf(file), 0) }
      })
    })
    .filter(({ lines }) => lines > 1400)
  expect(big).toEqual([])
})

test('no file is named after a drawer', () => {
  const drawers = /(^|\/)(utils?|helpers?|common|misc|shared|types|base)(\.[a-z]+)+$/
  expect(code.filter((file) => drawers.test(file))).toEqual([])
})
