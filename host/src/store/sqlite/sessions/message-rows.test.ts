import { expect, test } from 'vitest'
import { searchableText } from './message-rows.ts'

test('a long message is searched by its beginning', () => {
  const text = 'word '.repeat(1_000_000)
  expect(searchableText({ role: 'user', parts: [{ type: 'text', text }] })).toHaveLength(20_000)
  const results = Array.from({ length: 100 }, (_, index) => ({ id: `c${index}`, name: 'a', ok: true, text }))
  expect(searchableText({ role: 'tool', results })).toHaveLength(20_000)
})
