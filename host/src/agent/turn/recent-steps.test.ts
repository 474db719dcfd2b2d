import type { ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createRecentSteps } from './recent-steps.ts'

const said = (text: string): readonly ModelMessage[] => [{ role: 'user', parts: [{ type: 'text', text }] }]

test('the messages of each turn are found by any of its calls, once', () => {
  const recent = createRecentSteps()
  recent.keep([{ id: 'a' }, { id: 'b' }], said('one'))
  recent.keep([{ id: 'c' }], said('two'))
  expect(recent.find(['c', 'a', 'b', 'none'])).toEqual([...said('two'), ...said('one')])
})

test('the oldest calls leave when there are too many', () => {
  const recent = createRecentSteps({ maxCalls: 2 })
  for (const id of ['a', 'b', 'c']) recent.keep([{ id }], said(id))
  expect([recent.find(['a']), recent.find(['b']), recent.find(['c'])]).toEqual([[], said('b'), said('c')])
})

test('the oldest leave when there is too much in them, and the calls of one turn share its weight', () => {
  const weight = JSON.stringify(said('a')).length
  const recent = createRecentSteps({ maxWeight: 2 * weight + 1 })
  recent.keep([{ id: 'a' }], said('a'))
  recent.keep([{ id: 'b' }, { id: 'c' }], said('b'))
  expect(recent.find(['a', 'b'])).toEqual([...said('a'), ...said('b')])
  recent.keep([{ id: 'd' }], said('d'))
  expect(recent.find(['a', 'b', 'd'])).toEqual([...said('b'), ...said('d')])
})
