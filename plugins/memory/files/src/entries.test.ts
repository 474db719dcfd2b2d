import type { MemoryChange } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { applyChange, formatEntries, lengthOf, parseEntries } from './entries.ts'

const entries = ['The cat is Minka.', 'The dog is Rex.', 'The dog is Rex. He is old.']
const change = (asked: MemoryChange, limit = 200): readonly string[] => applyChange({ target: 'memory', entries, limit }, asked)

test('entries are what people write between lines that hold nothing but the sign', () => {
  expect(parseEntries('')).toEqual([])
  expect(parseEntries('\uFEFFone\r\n § \r\n\r\ntwo\nlines\n§\n§\n')).toEqual(['one', 'two\nlines'])
  expect(parseEntries('price: 5 § per box\n§ not alone')).toEqual(['price: 5 § per box\n§ not alone'])
  expect(parseEntries(formatEntries(entries))).toEqual(entries)
  expect(formatEntries([])).toBe('')
  expect(lengthOf(['ä', '😀'])).toBe(5)
})

test('a text that is a whole entry means that one, even where it stands in another', () => {
  expect(change({ action: 'remove', target: 'memory', old: 'The dog is Rex.' })).toEqual([entries[0], entries[2]])
  expect(change({ action: 'replace', target: 'memory', old: 'Minka', text: 'No cat.' })).toEqual(['No cat.', entries[1], entries[2]])
  expect(change({ action: 'replace', target: 'memory', old: 'Minka', text: 'The dog is Rex.' })).toEqual([entries[1], entries[2]])
  expect(change({ action: 'add', target: 'memory', text: ' The dog is Rex.\r\n' })).toEqual(entries)
})

test.each<[string, MemoryChange, object]>([
  ['nothing', { action: 'add', target: 'memory', text: ' \n' }, { code: 'MEMORY_UNCHANGED', message: expect.stringContaining('is empty') }],
  [
    'a separator',
    { action: 'add', target: 'memory', text: 'a\n§\nb' },
    { code: 'MEMORY_UNCHANGED', message: expect.stringContaining('§') },
  ],
  ['no old text', { action: 'remove', target: 'memory', old: '' }, { code: 'MEMORY_UNCHANGED' }],
  ['an old text that is not there', { action: 'remove', target: 'memory', old: 'Bello' }, { message: expect.stringContaining('"Bello"') }],
  ['one that stands in two', { action: 'remove', target: 'memory', old: 'Rex' }, { message: expect.stringContaining('in 2 entries') }],
  [
    'too much',
    { action: 'add', target: 'memory', text: 'x'.repeat(150) },
    { code: 'MEMORY_FULL', message: expect.stringMatching(/217 of at most 200[\s\S]*- The cat is Minka\./) },
  ],
])('%s is refused, and it is said what to do', (_name, asked, error) => {
  expect(() => change(asked)).toThrow(expect.objectContaining(error) as Error)
})

test('a file that people filled beyond the limit can still get shorter', () => {
  expect(change({ action: 'replace', target: 'memory', old: 'He is old', text: 'Old dog.' }, 20)).toHaveLength(3)
  expect(change({ action: 'remove', target: 'memory', old: 'Minka' }, 20)).toHaveLength(2)
})
