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

test('child agents have a row for their task, for each call and for their end', () => {
  const about = { id: 'sub_1', depth: 1, goal: 'count', index: 1, count: 2, session: 'ses' } as const
  expect(
    rowsOf(
      { ...about, type: 'subagent.spawn_requested' },
      { ...about, type: 'subagent.tool', name: 'search_files', preview: '*.ts', calls: 1 },
      { ...about, type: 'subagent.complete', status: 'completed', exitReason: 'completed', text: '12 files', durationMs: 1_300 },
    ),
  ).toEqual(['  child agent 2/2  count', '    2/2 search_files  *.ts', '    2/2 completed 1.3 s  12 files', ''])
})
