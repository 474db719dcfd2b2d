import { expect, test } from 'vitest'
import { searchableText } from './message-rows.ts'

test('a long message is searched by its beginning', () => {
  const text = 'word '.repeat(1_000_000)
  expect(searchableText({ role: 'user', parts: [{ type: 'text', text }] })).toHaveLength(20_000)
  const results = Array.from({ length: 100 }, (_, index) => ({ id: `c${index}`, name: 'a', ok: true, text }))
  expect(searchableText({ role: 'tool', results })).toHaveLength(20_000)
})

test('of an answer the texts are searched, and nothing between them', () => {
  const call = { type: 'call', id: 'c', name: 'a', args: '{}' } as const
  const parts = [
    { type: 'text', text: 'one' },
    call,
    { type: 'opaque', provider: 'far', data: null },
    { type: 'text', text: 'two' },
  ] as const
  expect(searchableText({ role: 'assistant', parts })).toBe('one\ntwo')
})
