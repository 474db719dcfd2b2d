import type { TurnEvent } from '@agent/plugin-sdk'
import { describe, expect, test } from 'vitest'
import { createTurnView } from './turn-view.ts'

const start: TurnEvent = { type: 'message.start', turn: 't', session: 's', provider: 'p', model: 'm' }
const end = { type: 'message.complete', text: '', status: 'complete', stop: 'stop' } as const
const done = (more: object = {}) =>
  ({ type: 'tool.complete', id: 'c', name: 'shell', ok: true, text: 'one', durationMs: 10, ...more }) as const
const call = (more: object = {}) => ({ type: 'tool.start', id: 'c', name: 'shell', args: {}, preview: 'npm test', ...more }) as const
const say = (text: string) => ({ type: 'message.delta', text }) as const

function openView({ colour = false, showReasoning = true, columns = 40 } = {}) {
  const view = createTurnView({ columns: () => columns, colour, showReasoning: () => showReasoning })
  return { ...view, takeAll: (...events: readonly TurnEvent[]) => events.flatMap((event) => view.take(event)) }
}

test('text, tools and thoughts stand apart; tools stand together', () => {
  const { takeAll } = openView()
  const thought = { type: 'reasoning.delta', text: 'Hm.' } as const
  const lines = takeAll(start, thought, say('I '), say('look.'), call(), done(), call(), done(), say('Done.\n'), end)
  expect(lines).toEqual(['', 'Hm.', '', 'I look.', '', '● shell  npm test', '  ok  one', '● shell  npm test', '  ok  one', '', 'Done.'])
})

test('thoughts are dim, and not shown where nobody wants them', () => {
  const thought = { type: 'reasoning.delta', text: 'A **thought**' } as const
  expect(openView({ colour: true }).takeAll(start, thought, end)).toEqual(['', '\u001b[2mA \u001b[0m\u001b[2;1mthought\u001b[0m'])
  expect(openView({ showReasoning: false }).takeAll(start, thought, end)).toEqual([])
})

describe('what came of a call', () => {
  const rowsOf = (event: TurnEvent, colour = false): readonly string[] => openView({ colour }).takeAll(start, call(), event).slice(2)

  test.each([
    [{ text: '' }, ['  ok']],
    [{ text: 'x'.repeat(50) }, [`  ok  ${'x'.repeat(33)}…`]],
    [{ text: '\none\n\ntwo\n', durationMs: 1_250 }, ['  ok · 1.3 s · 2 lines', '  │ one', '  │ two']],
    [{ text: 'a\nb\nc\nd\ne', durationMs: 125_000 }, ['  ok · 2 min 5 s · 5 lines', '  │ a', '  │ b', '  │ c', '  │ … 2 more']],
    [{ result: { exit_code: 0 } }, ['  ok  one']],
    [{ result: { exit_code: 2 } }, ['  failed (exit code 2)  one']],
    [{ text: 'one\n(exit code 2)', result: { exit_code: 2 } }, ['  failed (exit code 2)  one']],
    [{ text: '(exit code 137: killed)', result: { exit_code: 137 } }, ['  failed (exit code 137: killed)']],
    [{ text: 'one\n(exit code 2)' }, ['  ok · 2 lines', '  │ one', '  │ (exit code 2)']],
    [
      { error: { code: 'INTERRUPTED', params: {} }, ok: false, text: 'shell failed: Interrupted.', durationMs: 2_500 },
      ['  stopped · 2.5 s'],
    ],
    [{ ok: false, text: 'a\nb\nc\nd\ne' }, ['  failed · 5 lines', '  │ a', '  │ b', '  │ c', '  │ d', '  │ e']],
    [
      { ok: false, text: 'shell failed: /a/folder/nothing.txt: there is no such file or folder' },
      ['  failed', '  │ /a/folder/nothing.txt: there is no', '  │ such file or folder'],
    ],
    [{ text: 'a \u001b[2Jb' }, [String.raw`  ok  a \x1b[2Jb`]],
  ])('%j is shown as %j', (more, rows) => {
    expect(rowsOf(done(more))).toEqual(rows)
  })

  test('a failure is red', () => {
    expect(rowsOf(done({ result: { exit_code: 1 }, text: '' }), true)).toEqual(['\u001b[31m  failed (exit code 1)\u001b[0m'])
  })

  const diff = '--- a/src/x.ts\n+++ b/src/x.ts\n@@ -9,3 +9,3 @@\n kept\n-old\n+new\n last'
  test.each([{ text: diff }, { text: 'Wrote it.', result: { diff } }])('the change of a file is shown as one: %j', (more) => {
    const rows = ['  ok  src/x.ts +1 -1', '    9   kept', '   10 - old', '   10 + new', '   11   last']
    expect(rowsOf(done(more))).toEqual(rows)
    expect(rowsOf(done(more), true).slice(2, 4)).toEqual([
      '\u001b[2m   10 \u001b[0m\u001b[31m- old\u001b[0m',
      '\u001b[2m   10 \u001b[0m\u001b[32m+ new\u001b[0m',
    ])
  })

  test('of a long change the beginning is shown', () => {
    const long = `--- a/x\n+++ b/x\n@@ -0,0 +1,100 @@\n${'+line\n'.repeat(100)}`
    const rows = rowsOf(done({ text: long }))
    expect(rows).toHaveLength(42)
    expect(rows.at(-1)).toMatch(/^ {2}… \d+ more lines$/)
  })
})

test('what runs is shown below the text until it is over, with the last that it said', () => {
  const { takeAll, tail } = openView()
  takeAll(start, say('I look.'), call(), { type: 'tool.progress', id: 'c', text: 'first\nsecond\n' }, call({ id: 'd', preview: 'ls' }))
  expect(tail()).toEqual(['', '● shell  npm test', '  │ second', '● shell  ls'])
  expect(takeAll(done())).toEqual(['', '● shell  npm test', '  ok  one'])
  expect(tail()).toEqual(['● shell  ls'])
  expect(takeAll({ ...end, status: 'interrupted' })).toEqual(['● shell  ls', '', 'Interrupted.'])
  expect(tail()).toEqual([])
})

test('notices and errors are whole sentences, broken between words', () => {
  const text = 'The server is busy; the request is tried again in ten seconds.'
  expect(openView().takeAll(start, { type: 'status', kind: 'retry', text })).toEqual([
    '',
    'The server is busy; the request is tried',
    'again in ten seconds.',
  ])
  const failed = { type: 'error', error: { code: 'INTERRUPTED', params: {} }, text: 'x', retryable: false } as unknown as TurnEvent
  expect(openView().takeAll(start, failed)).toEqual([])
  expect(openView().takeAll(start, say('Half'), { ...end, status: 'length' })).toEqual([
    '',
    'Half',
    '',
    'The answer was cut: it reached the',
    'longest output.',
  ])
})

test('a question finishes the text before it', () => {
  const { takeAll, tail } = openView()
  const question = { type: 'clarify.request', id: 'q', question: 'Which?', choices: [] } as const
  expect(takeAll(start, say('Hello'), question)).toEqual(['', 'Hello'])
  expect(tail()).toEqual([])
})

test('a call that asks a question has no row beside it, unless nobody answered', () => {
  const { takeAll, tail } = openView()
  const asking = [call({ preview: 'Which?' }), { type: 'clarify.request', id: 'q', question: 'Which?', choices: [] }] as const
  takeAll(start, ...asking)
  expect(tail()).toEqual([])
  expect(takeAll(done())).toEqual([])
  takeAll(...asking)
  expect(takeAll(done({ ok: false, text: 'Nobody answered.' })).join('\n')).toContain('Nobody answered.')
})

describe('a question', () => {
  const approval: Extract<TurnEvent, { type: 'approval.request' }> = {
    type: 'approval.request',
    id: 'q',
    tool: 'shell',
    subject: 'rm -rf build &&\n\u001b[2Jecho a-long-word-that-does-not-fit-the-screen',
    reason: 'it deletes folders with all that is in them',
    rule: 'recursive-delete',
    where: 'machine',
    folder: '~/a project',
    choices: ['once', 'always', 'deny'],
  }

  test('about a command shows all of it, why it is asked, where and in which folder it would run and what "always" saves', () => {
    expect(openView().ask(approval)).toEqual([
      '',
      'shell needs your approval:',
      '  │ rm -rf build &&',
      String.raw`  │ \x1b[2Jecho a-long-word-that-does-no`,
      '  │ t-fit-the-screen',
      '  why     it deletes folders with all',
      '          that is in them',
      '  where   on this machine, outside of',
      '          any sandbox',
      '  folder  ~/a project',
      '  always  saves the rule',
      '          recursive-delete',
    ])
  })

  test('about a command in the sandbox says so; one about a file says nothing of it', () => {
    expect(openView({ columns: 80 }).ask({ ...approval, where: 'sandbox' })).toContain('  where   in the sandbox')
    const { where: _, folder: __, ...file } = approval
    expect(openView().ask(file).join()).not.toMatch(/ (where|folder) {2}/)
  })

  test('of the model is laid out as its answers are, with what it offers', () => {
    const question = {
      type: 'clarify.request',
      id: 'q',
      question: 'Which **one** of these?',
      choices: ['the first\none', 'another'],
    } as const
    expect(openView().ask(question)).toEqual(['', 'Which one of these?', '  1. the first one', '  2. another'])
  })
})

test('a child agent has a row of what it is to do, with its last call below it while it works', () => {
  const about = { id: 'sub_1', depth: 1, goal: 'count the files', index: 0, count: 1, session: 'ses' } as const
  const { takeAll, tail } = openView()
  takeAll(start, { ...about, type: 'subagent.spawn_requested' }, { ...about, type: 'subagent.start', model: 'm' })
  takeAll({ ...about, type: 'subagent.tool', name: 'search_files', preview: '*.ts', calls: 1 })
  expect(tail()).toEqual(['', '● child agent  count the files', '  │ search_files *.ts'])
  const ended = { ...about, type: 'subagent.complete', exitReason: 'completed', text: '12 files', durationMs: 1_300 } as const
  expect(takeAll({ ...ended, status: 'completed' })).toEqual(['', '● child agent  count the files', '  ok · 1.3 s  12 files'])
  expect(takeAll({ ...ended, status: 'timeout', text: '' })).toEqual(['● child agent  count the files', '  failed · 1.3 s  timeout'])
  expect(takeAll({ ...ended, status: 'interrupted' })).toEqual(['● child agent  count the files', '  stopped · 1.3 s'])
  expect(tail()).toEqual([])
})
