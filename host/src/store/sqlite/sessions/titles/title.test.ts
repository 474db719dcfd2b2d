import { expect, test } from 'vitest'
import { cleanTitle, formatLineage, parseLineage } from './title.ts'

test.each([
  ['plan #2', 'plan', 2],
  ['a #1 #30', 'a #1', 30],
  ['plan #999999', 'plan', 999_999],
  ['two\nlines #4', 'two\nlines', 4],
  ['plan', 'plan', 1],
  ['plan #0', 'plan #0', 1],
  ['plan #02', 'plan #02', 1],
  ['plan #1000000', 'plan #1000000', 1],
  ['plan#2', 'plan#2', 1],
  ['#2', '#2', 1],
  [' #2', ' #2', 1],
  ['plan #2 more', 'plan #2 more', 1],
  ['plan  #2', 'plan  #2', 1],
])('%j is of the lineage %j, at place %i', (title, name, number) => {
  expect(parseLineage(title)).toEqual({ name, number })
})

test('a number takes the place of the end of a name that is too long, and never half of a letter', () => {
  expect(formatLineage('plan', 3)).toBe('plan #3')
  expect(formatLineage('😀'.repeat(100), 12)).toBe(`${'😀'.repeat(96)} #12`)
})

test('letters are counted as people see them', () => {
  expect(cleanTitle('😀'.repeat(100))).toBe('😀'.repeat(100))
  expect(() => cleanTitle('😀'.repeat(101))).toThrow(/longer than 100/)
  expect(cleanTitle('cafe\u0301')).toBe('café')
})
