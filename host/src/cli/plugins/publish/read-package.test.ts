import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readOwnPackage } from './read-package.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'own-package-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const sound = { name: 'agent-plugin-dice', version: '1.0.0', license: 'MIT' }
const write = (more: Readonly<Record<string, unknown>>): void =>
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ ...sound, ...more }))

test.each([
  ['no name', { name: undefined }, 'name-invalid'],
  ['capitals', { name: 'Agent-Plugin' }, 'name-invalid'],
  ['a path', { name: '../dice' }, 'name-invalid'],
  ['a name that npm hides', { name: '.dice' }, 'name-invalid'],
  ['a word of npm', { name: '--registry=http://evil.example' }, 'name-invalid'],
  ['a long name', { name: 'd'.repeat(215) }, 'name-invalid'],
  ['no version', { version: undefined }, 'version-invalid'],
  ['half a version', { version: '1.0' }, 'version-invalid'],
  ['no license', { license: undefined }, 'license-missing'],
])('%s is refused before anything is built', (_name, more, reason) => {
  write(more)
  expect(() => readOwnPackage(dir)).toThrow(
    expect.objectContaining({ code: 'PLUGIN_REFUSED', params: expect.objectContaining({ reason }) }),
  )
})

test('what can be mended later is gathered, and a scope is told from the name', () => {
  write({ name: '@team/dice', version: '1.0.0-beta.1', private: true, publishConfig: { tag: 'next' } })
  const { obstacles, ...rest } = readOwnPackage(dir)
  expect(rest).toEqual({ name: '@team/dice', version: '1.0.0-beta.1', scope: '@team', publishConfig: { tag: 'next' } })
  expect(obstacles.map(({ reason }) => reason)).toEqual(['private', 'readme-missing'])
  writeFileSync(join(dir, 'README.md'), 'Dice')
  write({})
  expect(readOwnPackage(dir).obstacles).toEqual([])
})

test('a folder without a package says so', () => {
  expect(() => readOwnPackage(dir)).toThrow(/package\.json: is missing/)
  writeFileSync(join(dir, 'package.json'), '{')
  expect(() => readOwnPackage(dir)).toThrow(/package\.json: is no JSON/)
})
