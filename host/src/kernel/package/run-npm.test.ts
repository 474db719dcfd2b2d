import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findNpm } from './run-npm.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-find-npm-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(...path: readonly string[]): string {
  const file = join(folder, ...path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  return file
}

test('npm is looked for beside Node, then below it, then in the folders of the search path', () => {
  const bin = join(folder, 'bin')
  const find = (): string => findNpm({ PATH: ['', join(folder, 'none'), join(folder, 'a'), join(folder, 'b')].join(delimiter) }, bin)
  expect(find).toThrow(expect.objectContaining({ code: 'PLUGIN_FETCH' }))
  // Some put a program of their own there, which is no program of Node.
  put('a', 'npm')
  expect(find).toThrow(expect.objectContaining({ code: 'PLUGIN_FETCH' }))
  const linked = put('lib', 'npm-cli.js')
  put('b', 'other')
  symlinkSync(linked, join(folder, 'b', 'npm'))
  expect(find()).toBe(linked)
  const modules = ['node_modules', 'npm', 'bin', 'npm-cli.js']
  for (const place of [['b'], ['lib'], ['bin']]) {
    const file = put(...place, ...modules)
    expect(find()).toBe(file)
  }
  expect(() => findNpm({}, join(folder, 'nowhere', 'bin'))).toThrow(expect.objectContaining({ code: 'PLUGIN_FETCH' }))
})
