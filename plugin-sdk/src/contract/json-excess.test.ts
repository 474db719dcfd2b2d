import { expect, test } from 'vitest'
import { findJsonExcess } from './json-excess.ts'

const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth)

test.each(['', '{"a":[1,2,{"b":null}]}', nested(100), `{"a":${nested(99)}}`, '"[[["', '{'])('nothing speaks against %.20s', (text) => {
  expect(findJsonExcess(text)).toBeUndefined()
})

test.each([nested(101), nested(1_000_000), nested(101, '{"a":', '}'), `{"\\"":${nested(100)}}`, `["\\\\",${nested(100)}]`])(
  '%.20s is nested too deep',
  (text) => {
    expect(findJsonExcess(text)).toContain('deeper than 100 levels')
  },
)

test('brackets and commas inside texts do not count, whatever is escaped', () => {
  expect(findJsonExcess(JSON.stringify(['['.repeat(500), '\\"{[,'.repeat(500), '\\']), { mostValues: 5 })).toBeUndefined()
})

test('a text of many brackets that is flat is looked at to its end', () => {
  expect(findJsonExcess(`[${'{},'.repeat(500)}0]`)).toBeUndefined()
  expect(findJsonExcess(`[${'{},'.repeat(500)}${nested(100)}]`)).toContain('deeper than 100 levels')
})

test('values are counted where they are many', () => {
  expect(findJsonExcess('[1,2,3]', { mostValues: 4 })).toBeUndefined()
  expect(findJsonExcess('[1,2,3,4]', { mostValues: 4 })).toContain('more than 4 values')
  expect(findJsonExcess(`[${'[],'.repeat(200_000)}0]`)).toContain('more than 200000 values')
})
