import { expect, test } from 'vitest'
import { findAnswerMisfit, type PanelAnswers } from './panel.ts'

const line = { at: 1, level: 'warn', text: 'slow' }

test.each<[keyof PanelAnswers, unknown]>([
  ['table', { rows: [] }],
  ['table', { rows: [{ name: 'x', any: [1] }] }],
  ['detail', { item: { name: 'x' } }],
  ['form', { values: {} }],
  ['markdown', { text: '' }],
  ['chart', { points: [{ name: 'a', value: 1 }] }],
  ['log', { lines: [line, { level: '', text: 'of another program' }] }],
  ['calendar', { events: [{ at: 1, title: 'x' }] }],
  ['action', {}],
  ['action', { said: 'Done.' }],
])('what can be drawn as %s: %j', (type, answer) => {
  expect(findAnswerMisfit(type, answer)).toBeUndefined()
})

test.each<[keyof PanelAnswers, unknown, string]>([
  ['table', null, 'it is no object'],
  ['table', [], 'it is no object'],
  ['table', { rows: {} }, 'it has no list rows'],
  ['table', { rows: [{}, 'x'] }, 'rows[1] is not an object'],
  ['table', { rows: Array.from({ length: 1001 }, () => ({})) }, 'rows has 1001 items'],
  ['detail', { item: 'x' }, 'it has no object item'],
  ['form', {}, 'it has no object values'],
  ['markdown', { text: 1 }, 'it has no text'],
  ['chart', { points: [{ name: 'a', value: Number.NaN }] }, 'points[0] is not { name, value }'],
  ['chart', { points: [{ name: 1, value: 1 }] }, 'points[0] is not'],
  ['log', { lines: [line, { ...line, at: 9e15 }] }, 'lines[1] is not { at?, level, text }'],
  ['log', { lines: [{ ...line, level: 3 }] }, 'lines[0] is not'],
  ['calendar', { events: [{ at: 'now', title: 'x' }] }, 'events[0] is not { at, title }'],
  ['calendar', { events: [{ at: 1, title: 'x', detail: 1 }] }, 'events[0] is not'],
  ['action', { said: 1 }, 'said is no text'],
])('what cannot be drawn as %s: %j', (type, answer, problem) => {
  expect(findAnswerMisfit(type, answer)).toContain(problem)
})
