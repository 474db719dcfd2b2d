import { expect, test } from 'vitest'
import { readTitle } from './read-title.ts'

test.each([
  ['Trip to Oslo by train', 'Trip to Oslo by train'],
  ['\n  "Trip to Oslo."  \nIt fits because …', 'Trip to Oslo'],
  ['**Title: Trip to Oslo**', 'Trip to Oslo'],
  ['# Trip to Oslo #2', 'Trip to Oslo'],
  ['<think>A title…\nmaybe</think>\nTrip to Oslo', 'Trip to Oslo'],
  ['Trip\u0007 to\u202e Oslo\u200b', 'Trip to Oslo'],
  ['Trip\u2028to\tOslo', 'Trip to Oslo'],
  ['旅行计划：奥斯陆。', '旅行计划：奥斯陆'],
])('%j is read as the title %j', (said, title) => {
  expect(readTitle(said)).toBe(title)
})

test.each([
  '',
  ' \n "" \n',
  '<think>It never ends',
  'I am sorry, but I cannot give this conversation a title, because it is empty.',
  'x'.repeat(81),
])('%j is no title', (said) => {
  expect(readTitle(said)).toBeUndefined()
})
