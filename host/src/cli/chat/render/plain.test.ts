import type { TurnEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createPlainRenderer } from './plain.ts'

function rowsOf(...events: readonly Partial<TurnEvent>[]): readonly string[] {
  const shown: string[] = []
  const renderer = createPlainRenderer({ write: (text) => shown.push(text), colour: false, columns: 40 }, { showReasoning: () => false })
  for (const event of events) renderer.show(event as TurnEvent)
  return shown.join('').split('\n')
}

const done = (more: object) => ({ type: 'tool.complete', id: 'c', name: 't', ok: true, text: 'one', durationMs: 10, ...more }) as const

test.each([
  [{}, '  ok  one'],
  [{ text: '\none\n\ntwo\n', durationMs: 1_250 }, '  ok 1.3 s (2 lines)  one'],
  [{ result: { exit_code: 0 } }, '  ok  one'],
  [{ result: { exit_code: 2 } }, '  failed (exit code 2)  one'],
  [{ ok: false, text: 'x'.repeat(50) }, `  failed  ${'x'.repeat(28)}…`],
])('a tool call that ended with %j is shown as %j', (more, row) => {
  expect(rowsOf(done(more))).toEqual([row, ''])
})

test('text flows on; a row begins a line', () => {
  const texts = ['Hel', 'lo'].map((text) => ({ type: 'message.delta', text }) as const)
  expect(rowsOf(...texts, done({}), { type: 'message.delta', text: 'more' })).toEqual(['Hello', '  ok  one', 'more'])
})
