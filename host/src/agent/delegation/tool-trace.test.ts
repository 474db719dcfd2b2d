import type { ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { traceOf } from './tool-trace.ts'

const calls = (...given: readonly (readonly [id: string, name: string])[]): ModelMessage => ({
  role: 'assistant',
  parts: given.map(([id, name]) => ({ type: 'call', id, name, args: '{"ä":1}' })),
})
const result = (id: string, name: string, text: string, ok = true): ToolOutcome => ({ id, name, ok, text })
const results = (...given: readonly ToolOutcome[]): ModelMessage => ({ role: 'tool', results: given })

test('calls find their results by id, in whatever order and messages these come', () => {
  const trace = traceOf([
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    calls(['1', 'read'], ['2', 'write']),
    results(result('2', 'write', 'four')),
    results(result('1', 'read', 'ü', false)),
    calls(['3', 'read']),
  ])
  expect(trace).toEqual([
    { tool: 'read', argsBytes: 8, resultBytes: 2, status: 'error' },
    { tool: 'write', argsBytes: 8, resultBytes: 4, status: 'ok' },
    { tool: 'read', argsBytes: 8, resultBytes: 0, status: 'error' },
  ])
})

test('where ids lack, results are taken by name and then in their order; one that has an id is never taken for another call', () => {
  const sizes = (messages: readonly ModelMessage[]) => traceOf(messages).map(({ tool, resultBytes }) => [tool, resultBytes])
  expect(
    sizes([
      calls(['', 'read'], ['', 'write'], ['7', 'read']),
      results(result('', 'write', 'ww'), result('7', 'read', 'seven'), result('', 'read', 'r')),
    ]),
  ).toEqual([
    ['read', 1],
    ['write', 2],
    ['read', 5],
  ])
  expect(sizes([calls(['', 'read'], ['', 'read']), results(result('', 'read', '1'), result('', 'read', '22'))])).toEqual([
    ['read', 1],
    ['read', 2],
  ])
  expect(sizes([calls(['a', 'read'], ['a', 'read']), results(result('a', 'read', '1'), result('a', 'read', '22'))])).toEqual([
    ['read', 1],
    ['read', 2],
  ])
  expect(sizes([calls(['a', 'read'], ['b', 'read']), results(result('b', 'read', '22'))])).toEqual([
    ['read', 0],
    ['read', 2],
  ])
})
