import { expect, test } from 'vitest'
import { mergeDefaults, valueAt, withValueAt } from './merge.ts'

test('sections are joined, lists and plain values replaced, and nothing is shared with the defaults', () => {
  const defaults = { a: { b: 1, c: [1, 2] }, d: 'x' }
  const merged = mergeDefaults(defaults, { a: { c: [3] }, e: { f: 0 } })
  expect(merged).toEqual({ a: { b: 1, c: [3] }, d: 'x', e: { f: 0 } })
  const copy = mergeDefaults(defaults, {}) as typeof defaults
  expect(copy).toEqual(defaults)
  expect(copy.a.c).not.toBe(defaults.a.c)
})

test('null means not set, at any depth; false, 0 and empty text are values', () => {
  expect(mergeDefaults({ a: { b: 1, c: true, d: 'x' } }, { a: { b: 0, c: false, d: '' } })).toEqual({ a: { b: 0, c: false, d: '' } })
  expect(mergeDefaults({ a: { b: 1 } }, { a: null })).toEqual({ a: { b: 1 } })
  expect(mergeDefaults({ a: { b: 1 } }, { a: { b: null, c: null } })).toEqual({ a: { b: 1 } })
  expect(mergeDefaults({ a: 1 }, null)).toEqual({ a: 1 })
})

test('a value of another shape stays, so that the check can name it', () => {
  expect(mergeDefaults({ a: { b: 1 } }, { a: 5 })).toEqual({ a: 5 })
  expect(mergeDefaults({ a: 1 }, { a: { b: 1 } })).toEqual({ a: { b: 1 } })
})

test('paths are followed through own keys only', () => {
  const tree = { a: { b: [{ c: 1 }] } }
  expect(valueAt(tree, ['a', 'b', '0', 'c'])).toBe(1)
  expect(valueAt(tree, ['a', 'x', 'y'])).toBeUndefined()
  expect(valueAt(tree, ['a', 'constructor'])).toBeUndefined()
})

test('a replaced value leaves the original alone', () => {
  const tree = { a: { b: 1, c: 2 } }
  expect(withValueAt(tree, ['a', 'b'], undefined)).toEqual({ a: { c: 2 } })
  expect(withValueAt(tree, ['x', 'y'], 3)).toEqual({ a: { b: 1, c: 2 }, x: { y: 3 } })
  expect(tree).toEqual({ a: { b: 1, c: 2 } })
})
