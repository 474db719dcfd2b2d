import type { ModelMessage } from '@agent/plugin-sdk'
import { errors } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { Step } from '#store/journal.ts'
import { openTurn, replaySteps } from './transcript.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const say = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const ask = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const callOf = (id: string) => ({ type: 'call', id, name: 'terminal', args: '{}' }) as const
const cutOff = errors.TOOL_OUTCOME_UNKNOWN.text({ tool: 'terminal' })
const resultOf = (id: string) => ({ id, name: 'terminal', ok: true, text: `done ${id}` })

const mend = (messages: readonly ModelMessage[]) => openTurn(messages, { input: [] }).messages.slice(0, -1)

test('two messages of one role in a row become one', () => {
  const mended = mend([ask('a'), ask('b'), say('c'), say('d')])
  expect(mended.map((message) => message.role)).toEqual(['user', 'assistant'])
  expect(mended[0]).toEqual({
    role: 'user',
    parts: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  })
})

test('what a person says after an answer is a message by itself', () => {
  expect(mend([ask('a'), say('b'), ask('c'), say('d')])).toEqual([ask('a'), say('b'), ask('c'), say('d')])
})

test('the work of joining grows with the number of messages and not with its square', () => {
  const many = Array.from({ length: 150_000 }, () => ask('a'))
  expect(mend(many)).toMatchObject([{ role: 'user', parts: { length: 150_000 } }])
  const calls = Array.from({ length: 50_000 }, (_, index) => callOf(`c${index}`))
  const results = calls.map(({ id }) => resultOf(id)).reverse()
  expect(mend([ask('a'), { role: 'assistant', parts: calls }, { role: 'tool', results }]).at(-1)).toMatchObject({
    results: { length: 50_000, 0: { id: 'c0' } },
  })
  expect(many[0]).toEqual(ask('a'))
})

test('a call that a crash cut off gets an unknown outcome, a result without its call is dropped', () => {
  const mended = mend([
    ask('go'),
    { role: 'assistant', parts: [callOf('1'), callOf('2')] },
    { role: 'tool', results: [resultOf('2'), resultOf('9')] },
    ask('again'),
    { role: 'assistant', parts: [callOf('3')] },
  ])
  expect(mended.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool'])
  expect(mended[2]).toMatchObject({
    results: [
      { id: '1', ok: false, text: cutOff },
      { id: '2', text: 'done 2' },
    ],
  })
  expect(mended[5]).toMatchObject({ results: [{ id: '3', ok: false, text: cutOff }] })
})

const steps: readonly Step[] = [
  { type: 'model', parts: [callOf('1'), callOf('2'), callOf('3')], usage },
  { type: 'tool.start', id: '1', name: 'terminal', args: '{}' },
  { type: 'tool.done', outcome: resultOf('1') },
  { type: 'tool.start', id: '2', name: 'terminal', args: '{}' },
]

test('after a crash a started call is not run again; one that never started is still to run', () => {
  const { messages, open } = replaySteps(steps, () => false)
  expect(messages).toEqual([{ role: 'assistant', parts: [callOf('1'), callOf('2'), callOf('3')] }])
  expect(open?.results).toEqual([resultOf('1'), { id: '2', name: 'terminal', ok: false, text: cutOff }])
})

test('a call that was refused is refused after a crash too', () => {
  const refused = [{ id: '2', name: 'terminal', ok: false, text: 'no' }]
  const step: Step = { type: 'model', parts: [callOf('1'), callOf('2')], usage, refused }
  expect(replaySteps([step], () => true).open).toEqual({ calls: [callOf('1'), callOf('2')], results: refused })
})

test('a call that an earlier crash cut off has an unknown outcome in all later requests, and results stand in the order of the calls', () => {
  const second: Step = { type: 'model', parts: [callOf('4')], usage }
  const { messages, open } = replaySteps([...steps, { type: 'tool.done', outcome: resultOf('3') }, second], () => false)
  expect(messages.at(1)).toEqual({
    role: 'tool',
    results: [resultOf('1'), { id: '2', name: 'terminal', ok: false, text: cutOff }, resultOf('3')],
  })
  expect(open).toEqual({ calls: [callOf('4')], results: [] })
})

test('a started call of a replay-safe tool is run again', () => {
  expect(replaySteps(steps, () => true).open?.results.map((result) => result.id)).toEqual(['1'])
})

test('finished steps come back as they were', () => {
  const { messages, open } = replaySteps(
    [...steps.slice(0, 3), { type: 'model', parts: [{ type: 'text', text: 'x' }], usage }],
    () => false,
  )
  expect(messages.map((message) => message.role)).toEqual(['assistant', 'tool', 'assistant'])
  expect(open).toBeUndefined()
  const words: Step = { type: 'model', parts: [{ type: 'text', text: 'x' }], usage }
  expect(replaySteps([words, words], () => false).messages.map((message) => message.role)).toEqual(['assistant', 'assistant'])
})

test('results that nobody asked for bring nothing into the session, what a person says beside them does', () => {
  const { begins, messages } = openTurn([ask('a'), say('b')], { input: [{ type: 'text', text: 'c' }], results: [resultOf('9')] })
  expect(begins).toEqual([ask('c')])
  expect(messages.at(-1)).toEqual(ask('c'))
  const open: readonly ModelMessage[] = [ask('a'), { role: 'assistant', parts: [callOf('1')] }]
  expect(openTurn(open, { input: [], results: [resultOf('1')] }).begins).toEqual([{ role: 'tool', results: [resultOf('1')] }])
})

test('a call that stands twice is told once, and every text around it stays', () => {
  const words = (text: string) => ({ type: 'text', text }) as const
  const [, message] = mend([ask('go'), { role: 'assistant', parts: [words('a'), callOf('1'), words('b'), callOf('1'), callOf('2')] }])
  expect(message).toEqual({ role: 'assistant', parts: [words('a'), callOf('1'), words('b'), callOf('2')] })
})

test('steps of calls that nobody asked for are passed over', () => {
  const steps = [
    { type: 'tool.start', id: 'a', name: 'terminal' },
    { type: 'tool.done', outcome: resultOf('a') },
  ] as unknown as readonly Step[]
  expect(replaySteps(steps, () => false)).toEqual({ messages: [] })
})
