import { expect, test } from 'vitest'
import { formatItem, parseItem } from './item.ts'

test.each([
  { folder: '/work', number: 1 },
  { folder: '/home/me/2 of /odd', number: 12, path: 'deep/er/a of b' },
  { folder: '/a\nb', number: 3, path: 'c\nd' },
])('%j is read as it was written', (meant) => {
  expect(parseItem(formatItem(meant))).toEqual(meant)
})

test('what is no item names nothing', () => {
  expect(parseItem('nonsense')).toEqual({ folder: '', number: 0 })
})
