import { expect, test } from 'vitest'
import { changeList } from './change-list.ts'

test.each([
  ['nothing leaves the list as it is', '', ['milk']],
  ['a thing comes last', 'brown bread', ['milk', 'brown bread']],
  ['clear empties it', 'clear', []],
])('%s', (_name, args, after) => {
  expect(changeList(['milk'], args, 2)).toEqual(after)
})

test('a full list and a long thing are refused in words', () => {
  expect(() => changeList(['milk'], 'bread', 1)).toThrow('The list is full with 1 things. Try: /sample_list clear')
  expect(() => changeList([], 'x'.repeat(201), 1)).toThrow('too long')
})
