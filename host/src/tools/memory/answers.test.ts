import { expect, test } from 'vitest'
import { readBlocks, readHits } from './answers.ts'

test('of what a provider answers only what is read stays', () => {
  const block = { target: 'user', entries: ['Ann'], limit: 1 }
  expect(readBlocks([{ ...block, more: 1 }])).toEqual([block])
  const hit = { text: 'Tea.', at: 1, session: 'ses_1', title: 'Talk' }
  expect(readHits([{ ...hit, more: 1 }, { text: 'Cat.' }])).toEqual([hit, { text: 'Cat.' }])
})

test.each<[string, object]>([
  ['no list', {}],
  ['another target', [{ target: 'skills', entries: [], limit: 1 }]],
  ['an entry that is no text', [{ target: 'user', entries: [1], limit: 1 }]],
  ['a limit of nothing', [{ target: 'user', entries: [], limit: 0 }]],
])('blocks with %s do not fit', (_name, answer) => {
  expect(() => readBlocks(answer)).toThrow('its answer does not fit')
})

test.each<[string, object]>([
  ['text', [{}]],
  ['at', [{ text: 'x', at: 'now' }]],
  ['session', [{ text: 'x', session: 1 }]],
  ['title', [{ text: 'x', title: 1 }]],
])('hits whose %s is another kind of value do not fit, and that is named', (field, answer) => {
  expect(() => readHits(answer)).toThrow(`its answer does not fit: 0.${field}`)
})
