import { expect, test } from 'vitest'
import { findShapeProblem } from './entry-shape.ts'

test.each([
  [undefined, 'has no default export'],
  [null, 'has a default export without open()'],
  ['open', 'has a default export without open()'],
  [() => undefined, 'has a default export without open()'],
  [{}, 'has a default export without open()'],
  [{ open: 'later' }, 'has a default export without open()'],
  [{ open: () => undefined }, undefined],
])('of an entry that is %o it is said: %s', (entry, problem) => {
  expect(findShapeProblem('toolset', entry)).toBe(problem)
})

test('a platform is connected and not opened', () => {
  expect(findShapeProblem('platform', { open() {} })).toBe('has a default export without connect()')
  expect(findShapeProblem('platform', { connect() {} })).toBeUndefined()
})
