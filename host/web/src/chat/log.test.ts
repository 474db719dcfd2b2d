import { expect, test } from 'vitest'
import type { EventFrame, SessionEvent } from '../../../src/rpc/protocol.ts'
import { addFrames, emptyLog, hasGap } from './log.ts'

const frames = (...events: readonly SessionEvent[]): readonly EventFrame[] =>
  events.map((event, index) => ({ seq: index + 1, session_id: 's', at: 0, event }))

const start: SessionEvent = { type: 'message.start', turn: 't', session: 's', provider: 'p', model: 'm' }
const end: SessionEvent = { type: 'message.complete', text: 'Hello you', status: 'complete', stop: 'stop' }

test('deltas become one text, and what completes repeats none of it', () => {
  const log = addFrames(
    emptyLog,
    frames(
      { type: 'prompt.accepted', id: 'a', text: 'hi', ordinal: 0 },
      start,
      { type: 'message.delta', text: 'Hello' },
      { type: 'message.delta', text: ' you' },
      end,
    ),
  )
  expect(log.bubbles).toMatchObject([
    { kind: 'user', text: 'hi', ordinal: 0 },
    { kind: 'assistant', end: 'complete', parts: [{ kind: 'text', text: 'Hello you' }] },
  ])
})

test('an answer that came without deltas is its last text', () => {
  expect(addFrames(emptyLog, frames(start, end)).bubbles).toMatchObject([{ parts: [{ kind: 'text', text: 'Hello you' }] }])
})

test('a frame that was seen changes nothing, whichever way it comes again', () => {
  const all = frames(start, { type: 'message.delta', text: 'one ' }, { type: 'message.delta', text: 'two' })
  const log = addFrames(emptyLog, all)
  expect(addFrames(log, all)).toBe(log)
  expect(addFrames(addFrames(emptyLog, all.slice(0, 2)), all)).toEqual(log)
})

test('a gap is told, and a run of deltas that became one frame is none', () => {
  const [first, , third] = frames(start, start, { type: 'message.delta', text: 'x' })
  const log = addFrames(emptyLog, first ? [first] : [])
  expect(third && hasGap(log, third)).toBe(true)
  expect(addFrames(log, third ? [third] : []).seq).toBe(3)
})

test('a tool has its progress and its end in its own row', () => {
  const log = addFrames(
    emptyLog,
    frames(
      start,
      { type: 'tool.start', id: 'c1', name: 'terminal', args: { command: 'ls' }, preview: 'ls' },
      { type: 'tool.start', id: 'c2', name: 'read_file', args: {}, preview: '' },
      { type: 'tool.progress', id: 'c1', text: 'a\n' },
      { type: 'tool.complete', id: 'c1', name: 'terminal', ok: true, text: 'a\nb\n', durationMs: 5 },
    ),
  )
  expect(log.bubbles).toMatchObject([
    {
      parts: [
        { key: 'c1', progress: 'a\n', done: { ok: true, text: 'a\nb\n' } },
        { key: 'c2', progress: '' },
      ],
    },
  ])
})

test('a child agent has a row of its task, with its calls and its end in it', () => {
  const about = { id: 'sub_1', depth: 1, goal: 'count', index: 0, count: 1, session: 'ses' } as const
  const log = addFrames(
    emptyLog,
    frames(
      start,
      { ...about, type: 'subagent.spawn_requested' },
      { ...about, type: 'subagent.start', model: 'm' },
      { ...about, type: 'subagent.tool', name: 'search_files', preview: '*.ts', calls: 1 },
      { ...about, type: 'subagent.complete', status: 'timeout', exitReason: 'interrupted', text: '', durationMs: 9 },
    ),
  )
  const [bubble] = log.bubbles
  expect(bubble?.kind === 'assistant' && bubble.parts).toMatchObject([
    {
      key: 'sub_1',
      name: 'child agent',
      preview: 'count',
      progress: 'search_files *.ts\n',
      done: { ok: false, text: 'timeout', durationMs: 9 },
    },
  ])
})

test('child agents stand below the one that they work for, in the order in which they began', () => {
  const spawn = (id: string, depth: number, parent?: string): SessionEvent => ({
    ...{ type: 'subagent.spawn_requested', id, depth, goal: id, index: 0, count: 1, session: `ses_${id}` },
    ...(parent === undefined ? {} : { parent }),
  })
  const events = [spawn('a', 1), spawn('b', 1), spawn('a1', 2, 'a'), spawn('b1', 2, 'b'), spawn('a1x', 3, 'a1'), spawn('a2', 2, 'a')]
  const before: SessionEvent = { type: 'message.delta', text: 'I hand it on.' }
  const log = addFrames(emptyLog, frames(start, before, ...events, spawn('lost', 2, 'nobody'), { type: 'message.delta', text: 'Done.' }))
  const [bubble] = log.bubbles
  const rows = bubble?.kind === 'assistant' ? bubble.parts.map((part) => (part.kind === 'tool' ? [part.key, part.depth] : part.kind)) : []
  expect(rows).toEqual(['text', ['a', 1], ['a1', 2], ['a1x', 3], ['a2', 2], ['b', 1], ['b1', 2], ['lost', 2], 'text'])
})

test('a question is open while the session waits', () => {
  const ask: SessionEvent = { type: 'clarify.request', id: 'q', question: 'Which?', choices: [] }
  const open = addFrames(emptyLog, frames(start, ask, { type: 'session.status', status: 'waiting' }))
  expect(open.bubbles).toMatchObject([{ parts: [{ kind: 'clarify', open: true }] }])
  const working: EventFrame = { seq: 4, session_id: 's', at: 0, event: { type: 'session.status', status: 'working' } }
  expect(addFrames(open, [working]).bubbles).toMatchObject([{ parts: [{ kind: 'clarify', open: false }] }])
})

test('what was truncated goes, with all that came of it', () => {
  const log = addFrames(
    emptyLog,
    frames(
      { type: 'prompt.accepted', id: 'a', text: 'one', ordinal: 0 },
      start,
      { type: 'prompt.accepted', id: 'b', text: 'two', ordinal: 1 },
      start,
      { type: 'session.truncated', ordinal: 1 },
      { type: 'prompt.accepted', id: 'c', text: 'two, mended', ordinal: 1 },
    ),
  )
  expect(log.bubbles.map((bubble) => ('text' in bubble ? bubble.text : bubble.kind))).toEqual(['one', 'assistant', 'two, mended'])
})

test('a command between the words of an answer has its own bubbles, and the answer goes on', () => {
  const log = addFrames(
    emptyLog,
    frames(
      start,
      { type: 'message.delta', text: 'Hello' },
      { type: 'command.accepted', id: 'c', text: '/status' },
      { type: 'command.output', id: 'c', text: 'All is well.' },
      { type: 'message.delta', text: ' you' },
    ),
  )
  expect(log.bubbles).toMatchObject([
    { parts: [{ text: 'Hello you' }] },
    { kind: 'user', text: '/status', ordinal: undefined },
    { parts: [{ text: 'All is well.' }], end: 'complete' },
  ])
})

test('a question that is over is closed alone', () => {
  const ask = (id: string): SessionEvent => ({ type: 'clarify.request', id, question: 'Which?', choices: [] })
  const log = addFrames(emptyLog, frames(start, ask('a'), ask('b'), { type: 'request.closed', id: 'a' }))
  expect(log.bubbles).toMatchObject([{ parts: [{ open: false }, { open: true }] }])
})
