import type { ModelEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Sink } from '../answer.ts'
import { openGenerateReader } from './answer-reader.ts'

const endpoint = {
  provider: 'fake',
  protocol: 'gemini-generate' as const,
  baseUrl: '',
  key: undefined,
  headers: {},
  quirks: {},
  variables: {},
}

function read(...chunks: readonly unknown[]): readonly ModelEvent[] {
  const events: ModelEvent[] = []
  const sink: Sink = {
    emit: (event) => void events.push(event),
    get ended() {
      return events.some(({ type }) => type === 'end' || type === 'failed')
    },
  }
  const reader = openGenerateReader(sink, { endpoint, newCallId: () => 'made' })
  for (const chunk of chunks) reader.read(typeof chunk === 'string' ? chunk : JSON.stringify(chunk))
  reader.finish()
  return events
}

const parts = (...found: readonly unknown[]) => ({ candidates: [{ content: { parts: found } }] })
const stop = { candidates: [{ finishReason: 'STOP' }] }
const end = (reason: string) => ({ type: 'end', reason })

test('data that is broken, or of another kind, is passed over', () => {
  const odd = [
    { candidates: 'x' },
    { candidates: [null] },
    parts(null, 7, { text: 7 }, { text: '' }),
    { candidates: [{ content: { parts: 'x' }, finishReason: 7 }] },
  ]
  expect(
    read('nonsense', 'null', '[7, null]', ...odd, { usageMetadata: null }, { promptFeedback: { blockReason: 7 } }, stop),
  ).toMatchObject([end('stop')])
})

test('a list of pieces in one body is read like a stream', () => {
  expect(read([parts({ text: 'a' }), stop])).toMatchObject([{ type: 'text', delta: 'a' }, end('stop')])
})

test('a call without signature and id leaves nothing to send back', () => {
  expect(read(parts({ functionCall: { name: 'one', args: 'x' }, thoughtSignature: '' }), stop)).toMatchObject([
    { type: 'call', id: 'made', name: 'one', args: '{}' },
    end('tool-calls'),
  ])
})

test('a failure without a word of the model is told by its name, and nothing follows it', () => {
  expect(read({ candidates: [{ finishReason: 'UNEXPECTED_TOOL_CALL' }] })).toMatchObject([
    { type: 'failed', class: 'server_error', error: { params: { detail: 'UNEXPECTED_TOOL_CALL' } } },
  ])
})

test.each([
  ['MISSING_THOUGHT_SIGNATURE', { type: 'failed', class: 'thinking_signature' }],
  ['MAX_TOKENS', end('length')],
  ['RECITATION', end('content-filter')],
  ['OTHER', end('stop')],
])('an answer that ends with %s ends so', (finishReason, expected) => {
  expect(read({ candidates: [{ finishReason }] })).toMatchObject([expected])
})

test('the reason why a prompt was blocked is told in the words of the vendor', () => {
  const promptFeedback = { blockReason: 'SAFETY', blockReasonMessage: 'Not here.' }
  expect(read({ promptFeedback })).toMatchObject([
    { class: 'content_policy_blocked', error: { params: { detail: 'the prompt was blocked: Not here' } } },
  ])
})

test('tokens of tools of the vendor are read as input, and thoughts as output', () => {
  const usageMetadata = { promptTokenCount: 5, toolUsePromptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 4 }
  expect(read({ usageMetadata }, stop)).toMatchObject([{ usage: { input: 8, output: 6, reasoning: 4 } }])
})
