import { expect, test } from 'vitest'
import { formatSearchQuery } from './search-query.ts'

test.each([
  ['two words', '"two" "words"'],
  ['"a phrase" more', '"a phrase" "more"'],
  ['pre* fix', '"pre"* "fix"'],
  ['"pre*"', '"pre"'],
  ['pre*fix', '"pre fix"'],
  ['state-of-the-art text:x', '"state-of-the-art" "text:x"'],
  ['a "b', '"a" "b"'],
  ['NOT --- 7 é', '"NOT" "7" "é"'],
  ['cafe\u0301', '"café"'],
  ['a\0b', '"a b"'],
])('%j is asked for as %s', (typed, query) => {
  expect(formatSearchQuery(typed)).toBe(query)
})

test.each(['', '  ', '"', '""', '---', '*', '( )'])('in %j there is nothing to search for', (typed) => {
  expect(formatSearchQuery(typed)).toBeNull()
})
