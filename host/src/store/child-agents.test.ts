import { expect, test } from 'vitest'
import { rootOf, sessionsAbove } from './child-agents.ts'

const children = new Map([
  ['b', 'a'],
  ['c', 'b'],
  ['x', 'y'],
  ['y', 'x'],
  ['z', 'y'],
])

test('a session of a child agent belongs to the conversation at the root of its tree', () => {
  expect([sessionsAbove(children, 'c'), sessionsAbove(children, 'a')]).toEqual([['b', 'a'], []])
  expect(['a', 'b', 'c', 'other'].map((id) => rootOf(children, id))).toEqual(['a', 'a', 'a', 'other'])
})

test('parents in a circle end somewhere', () => {
  expect(['x', 'y', 'z'].map((id) => sessionsAbove(children, id))).toEqual([['y'], ['x'], ['y', 'x']])
})
