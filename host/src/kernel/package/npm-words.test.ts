import { expect, test } from 'vitest'
import { explainFailure, readJson, readPacked, readSettings, readVersion, uploadWords } from './npm-words.ts'

const said = (code: string, summary = '') => JSON.stringify({ error: { code, summary } })

test.each([
  [said('E404'), '', 'the registry has no such package'],
  [said('E404', 'Not Found - GET https://registry.test/%40me%2fdice - Not found'), '', 'the registry has no such package (@me/dice)'],
  [said('E404', 'Not Found - GET https://registry.test/dice.'), '', 'the registry has no such package (dice)'],
  [said('ETARGET', 'No matching version found for dice@9'), '', 'the registry has no version of it that fits'],
  [said('EODD', 'No match found for version 9'), '', 'the registry has no version of it that fits'],
  [said('ECONNREFUSED'), '', 'the registry cannot be reached; look at the network and at npm config get registry'],
  [said('EODD', '  Something odd happened.\nTry again.'), '', 'EODD: Something odd happened.'],
  [said('EODD'), '', 'EODD: npm gave no reason'],
  ['', 'npm warn old\nnpm error code EODD\nnpm error it broke\nnpm error A complete log of this run', 'it broke'],
  ['', 'npm error it broke\nnpm error twice', 'it broke twice'],
  ['no JSON', '', 'npm gave no reason'],
])('what npm says is told in plain words (%#)', (out, note, words) => {
  expect(explainFailure(out, note)).toBe(words)
})

test('what is no JSON is nothing', () => {
  expect([readJson('{"a":1}'), readJson(''), readJson('{')]).toEqual([{ a: 1 }, undefined, undefined])
})

test('where something is sent, a code means something else', () => {
  expect(explainFailure(said('E404'), '', uploadWords)).toBe('the registry does not let this login publish under this name')
  expect(explainFailure(said('ECONNREFUSED'), '', uploadWords)).toContain('cannot be reached')
})

const told = { name: '@me/dice', version: '1.0.0', 'dist.tarball': 'https://registry.test/dice.tgz', 'dist.integrity': 'sha512-x' }

test('of the versions that a registry tells the last is the newest, and one without a name, a number or a place is none', () => {
  const version = { name: '@me/dice', version: '1.0.0', resolved: 'https://registry.test/dice.tgz', integrity: 'sha512-x' }
  expect(readVersion(told)).toEqual(version)
  expect(readVersion([{ ...told, version: '0.9.0' }, told])).toEqual(version)
  expect(readVersion({ ...told, 'dist.integrity': undefined })).toEqual({ ...version, integrity: '' })
  const broken = [undefined, [], { ...told, name: 7 }, { ...told, version: undefined }, { ...told, 'dist.tarball': null }]
  expect(broken.map(readVersion)).toEqual(broken.map(() => undefined))
})

test('the file that was packed is named without the slash of its scope, and outside of no folder', () => {
  expect(readPacked([{ filename: '@me/dice-1.0.0.tgz' }])).toBe('me-dice-1.0.0.tgz')
  expect(readPacked([{ filename: 'dice-1.0.0.tgz' }])).toBe('dice-1.0.0.tgz')
  expect([undefined, [], [{}], [{ filename: 7 }]].map(readPacked)).toEqual([undefined, undefined, undefined, undefined])
})

test('settings of npm that are not set are none', () => {
  const text = 'registry=https://registry.test/\nproxy=null\nca=\nmail=undefined\nodd= a=b '
  expect([...readSettings(text)]).toEqual([
    ['registry', 'https://registry.test/'],
    ['odd', 'a=b'],
  ])
})
