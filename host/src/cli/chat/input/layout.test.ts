import { expect, test } from 'vitest'
import { draftOf, emptyDraft, insert, paste } from './draft.ts'
import { cursorAt, layOut } from './layout.ts'

test.each([
  ['one two three', 8, ['one two ', 'three']],
  ['onetwothree', 4, ['onet', 'woth', 'ree']],
  ['a\n\nb', 4, ['a', '', 'b']],
  ['日本語', 4, ['日本', '語']],
  ['x\ty', 10, ['x  y']],
  ['a\u001b[2Jb', 20, ['a\\x1b[2Jb']],
])('%j in %i columns is %j', (text, columns, rows) => {
  expect(layOut(insert(emptyDraft, text), columns).rows.map(({ shown }) => shown)).toEqual(rows)
})

test('the cursor is found by columns that are seen, and back', () => {
  const draft = insert(emptyDraft, '日本語 ab')
  const { row, column, rows } = layOut(draft, 6)
  expect([row, column]).toEqual([1, 3])
  expect(cursorAt(draft, rows[0] ?? { start: 0, end: 0, shown: '' }, 4)).toBe(2)
  expect(layOut({ ...draft, cursor: 2 }, 6)).toMatchObject({ row: 0, column: 4 })
})

test('a mark takes the columns of its words', () => {
  const draft = paste(draftOf('x '), 'y\n'.repeat(20))
  expect(layOut(draft, 40)).toMatchObject({ rows: [{ shown: 'x [pasted 20 lines]' }], column: 19 })
})
