import { expect, test } from 'vitest'
import { applyChange, findEntries } from './notes.ts'

const block = { target: 'memory', entries: ['The cat is Minka.', 'The dog is Rex.'], limit: 100 } as const

test('an entry is found by a text that stands in it alone', () => {
  expect(applyChange(block, { action: 'replace', target: 'memory', old: 'Rex', text: 'No dog.' })).toEqual(['The cat is Minka.', 'No dog.'])
  expect(() => applyChange(block, { action: 'remove', target: 'memory', old: 'The' })).toThrow('several entries')
  expect(() => applyChange(block, { action: 'add', target: 'memory', text: 'x'.repeat(100) })).toThrow('at most 100')
})

test('a question finds the entries that have its words', () => {
  expect(findEntries(block.entries, 'Who is Minka, the cat?')).toEqual(['The cat is Minka.', 'The dog is Rex.'])
  expect(findEntries(block.entries, 'a fish')).toEqual([])
})
