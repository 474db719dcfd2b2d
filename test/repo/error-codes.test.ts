import { errors } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { pluginFolders, readManifest } from './plugin-folders.ts'
import { isTest, listFiles, readText } from './source-files.ts'

const named = (files: readonly string[]): ReadonlySet<string> =>
  new Set(files.flatMap((file) => [...readText(file).matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([code]) => code)))

const folders = ['host/src', 'plugin-sdk/src', 'plugins', 'test'] as const
const files = folders.flatMap((folder) => listFiles(folder, /\.ts$/)).filter((file) => !file.includes('/dist/'))
const answersRequests = pluginFolders.some((folder) => readManifest(folder).contributes.platforms?.some(({ door }) => door === 'request'))
// One word is what the pattern for the others would find everywhere; what a door for requests answers belongs to its plugin.
const codes = Object.keys(errors).filter((code) => code.includes('_') && (answersRequests || !code.startsWith('HTTP_')))

test('every error code is named by a test', () => {
  const tested = named(files.filter((file) => isTest(file) || /\/testing\/|(^|\/)test\//.test(file)))
  expect(codes.filter((code) => !tested.has(code))).toEqual([])
})

test('every error code is raised by the program', () => {
  const raised = named(
    files.filter((file) => !isTest(file) && !file.startsWith('test/') && !/contract\/(error-table|http-errors)\.ts$/.test(file)),
  )
  expect(codes.filter((code) => !raised.has(code))).toEqual([])
})

test('what an error says is read in one place', () => {
  const readers = files.filter((file) => /instanceof Error\s*\?\s*\(?\w+\.message/.test(readText(file)))
  expect(readers).toEqual(['plugin-sdk/src/contract/errors.ts'])
})
