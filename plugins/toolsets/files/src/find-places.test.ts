import { expect, test } from 'vitest'
import { findPlaces } from './find-places.ts'

function replaced(text: string, wanted: string, replacement: string): string | number {
  const places = findPlaces(text, wanted, replacement)
  const [place] = places
  return place && places.length === 1 ? text.slice(0, place.start) + place.replacement + text.slice(place.end) : places.length
}

test.each([
  ['exact text inside a line', 'a b c', 'b', 'x', 'a x c'],
  ['exact beats forgiving', 'one\n one', 'one\n', 'x\n', 'x\n one'],
  ['white space at line ends', 'a  \nb\nc', 'a\nb', 'x', 'x\nc'],
  [
    'indentation, which the replacement takes over',
    '  if (a) {\n    b\n  }\n',
    'if (a) {\n  b\n}',
    'if (x) {\n  y\n}',
    '  if (x) {\n    y\n  }\n',
  ],
  ['white space inside lines', 'a  =  1\n', 'a = 1', 'a = 2', 'a = 2\n'],
  ['typographic quotes', 'say “hi”\n', 'say "hi"', 'say "ho"', 'say "ho"\n'],
  ['whole lines that vanish', 'a\n b \nc\n', 'b\n', '', 'a\nc\n'],
  ['a missing last line break', 'a\nb ', 'b\n', 'c\n', 'a\nc'],
])('%s', (_name, text, wanted, replacement, result) => {
  expect(replaced(text, wanted, replacement)).toBe(result)
})

test.each([
  ['nothing alike', 'abc', 'xyz', 0],
  ['only white space never fits loosely', 'a\n\n\nb', ' \n ', 0],
  ['overlapping exact places count once', 'aaa', 'aa', 'a'],
  ['several places', 'x \ny\nx \n', 'x\n', 2],
])('%s', (_name, text, wanted, result) => {
  if (typeof result === 'number') expect(findPlaces(text, wanted, '')).toHaveLength(result)
  else expect(replaced(text, wanted, '')).toBe(result)
})
