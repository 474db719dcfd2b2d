import { expect, test } from 'vitest'
import { explainFailure, readJson } from './npm-words.ts'

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
