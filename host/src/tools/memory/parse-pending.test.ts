import { expect, test } from 'vitest'
import { parsePending } from './parse-pending.ts'

const pending = { id: 'mem_1', owner: 'owner', at: 1, session: 'ses_1' }
const add = { action: 'add', target: 'memory', text: 'Tea.' }

test.each([
  ['an addition', add],
  ['a replacement', { action: 'replace', target: 'user', old: 'Ann', text: 'Eve' }],
  ['a removal', { action: 'remove', target: 'memory', old: 'Tea.' }],
])('%s is read as it was written', (_name, change) => {
  expect(parsePending(JSON.stringify({ ...pending, change }))).toEqual({ ...pending, change })
})

test.each<[string, object]>([
  ['without an owner', { ...pending, owner: undefined, change: add }],
  ['with a time in words', { ...pending, at: 'now', change: add }],
  ['with a field that nobody knows', { ...pending, change: add, more: 1 }],
  ['of a target that is none', { ...pending, change: { ...add, target: 'skills' } }],
  ['of an action that is none', { ...pending, change: { ...add, action: 'clear' } }],
  ['that adds and says what it replaces', { ...pending, change: { ...add, old: 'x' } }],
  ['that replaces nothing', { ...pending, change: { action: 'replace', target: 'user', text: 'x' } }],
  ['that removes and says with what', { ...pending, change: { action: 'remove', target: 'user', old: 'x', text: 'y' } }],
  ['that replaces without a text', { ...pending, change: { action: 'replace', target: 'user', old: 'x' } }],
  ['that replaces and says more', { ...pending, change: { action: 'replace', target: 'user', old: 'x', text: 'y', more: 1 } }],
])('a change %s is none', (_name, content) => {
  expect(parsePending(JSON.stringify(content))).toBeUndefined()
})

test('a text that is no JSON is no change', () => {
  expect(parsePending('{"id":')).toBeUndefined()
})
