import { expect, test } from 'vitest'
import { parseJson, readJson } from './parse-json.ts'

const deep = '['.repeat(50_000) + ']'.repeat(50_000)

test('what is no JSON, or nested too deep, is undefined, or an error that says why', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] })
  expect([parseJson('{'), parseJson(deep)]).toEqual([undefined, undefined])
  expect(readJson('{"a":[1]}')).toEqual({ a: [1] })
  expect(() => readJson('{')).toThrow('The body is not valid JSON')
  expect(() => readJson(deep)).toThrow('nested deeper than 100 levels')
})
