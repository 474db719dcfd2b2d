import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyContribution } from '#kernel/catalog/catalog.ts'
import { hashEntry } from './fingerprint.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-entry-'))
  mkdirSync(join(root, 'dist'))
})
afterEach(() => rmSync(root, { recursive: true }))

const hashOf = (source: 'link' | 'local'): string =>
  hashEntry({ kind: 'toolset', id: 'mine', spec: { entry: 'dist/toolset.js' }, plugin: { root, source } } as unknown as AnyContribution)

test('the code of a linked plugin is told apart by what it holds, and from code that is not there', () => {
  const missing = hashOf('link')
  const write = (text: string): void => writeFileSync(join(root, 'dist', 'toolset.js'), text)
  write('1')
  const first = hashOf('link')
  write('2')
  const second = hashOf('link')
  write('1')
  expect(hashOf('link')).toBe(first)
  expect(new Set([missing, first, second]).size).toBe(3)
})

test('what is installed has a folder for each version, and is not read', () => {
  writeFileSync(join(root, 'dist', 'toolset.js'), '1')
  expect(hashOf('local')).toBe('')
})

test('data of a manifest alone has no file to hash', () => {
  const data = { kind: 'provider', id: 'p', spec: { id: 'p' }, plugin: { root, source: 'link' } } as unknown as AnyContribution
  expect(hashEntry(data)).toBe('')
})
