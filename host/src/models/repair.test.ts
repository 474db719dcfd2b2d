import type { ModelErrorClass } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { findRefused, repairRequest, type SpareField } from './repair.ts'
import { createRequest } from './testing/model-call.ts'

const failure = (kind: ModelErrorClass, detail = '') => ({
  class: kind,
  error: { code: 'MODEL_FORMAT_ERROR' as const, params: { detail } },
})

test('signed reasoning is taken out after a refused signature, once', () => {
  const request = createRequest({
    messages: [
      {
        role: 'assistant',
        parts: [
          { type: 'opaque', provider: 'x', data: {} },
          { type: 'text', text: 'kept' },
        ],
      },
    ],
  })
  const repaired = repairRequest(failure('thinking_signature'), request)
  expect(repaired?.messages).toEqual([{ role: 'assistant', parts: [{ type: 'text', text: 'kept' }] }])
  expect(repaired && repairRequest(failure('thinking_signature'), repaired)).toBeUndefined()
})

test('patterns and formats are taken out of tool schemas, properties of that name are not', () => {
  const parameters = {
    type: 'object',
    properties: { pattern: { type: 'string', pattern: '^a', format: 'uri' }, list: { type: 'array', items: [{ format: 'date' }] } },
    required: ['pattern'],
  }
  const tools = [{ name: 'search', description: '', parameters }]
  expect(repairRequest(failure('llama_cpp_grammar_pattern'), createRequest({ tools }))?.tools[0]?.parameters).toEqual({
    type: 'object',
    properties: { pattern: { type: 'string' }, list: { type: 'array', items: [{}] } },
    required: ['pattern'],
  })
})

test.each([
  ["Unexpected role 'user' after role 'tool'"],
  ['After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.'],
])('an answer is put between results and what a person says next where that is wanted, once: %s', (detail) => {
  const call = { type: 'call', id: 'a', name: 'echo', args: '{}' } as const
  const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] }) as const
  const results = { role: 'tool', results: [{ id: 'a', name: 'echo', ok: true, text: 'fine' }] } as const
  const before = [said('go'), { role: 'assistant', parts: [call] } as const, results]
  const repaired = repairRequest(failure('format_error', detail), createRequest({ messages: [...before, said('and now?')] }))
  expect(repaired?.messages).toEqual([...before, { role: 'assistant', parts: [{ type: 'text', text: '[interrupted]' }] }, said('and now?')])
  expect(repaired && repairRequest(failure('format_error', detail), repaired)).toBeUndefined()
  expect(repairRequest(failure('format_error', detail), createRequest({ messages: before }))).toBeUndefined()
})

test('other failures are not repaired', () => {
  expect(repairRequest(failure('rate_limit'), createRequest())).toBeUndefined()
  expect(repairRequest(failure('thinking_signature'), createRequest())).toBeUndefined()
})

test.each<[string, SpareField | undefined]>([
  ["Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'],
  ["Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.", 'temperature'],
  ['`temperature` is deprecated for this model.', 'temperature'],
  ['Unsupported parameter: max_output_tokens', 'maxOutputTokens'],
  ["Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", 'maxOutputTokens'],
  ["Unsupported value: 'none' is not supported with the 'gpt-5.1-codex' model. (reasoning.effort)", 'reasoning'],
  ['Unrecognized request argument supplied: reasoning_effort', 'reasoning'],
  ['This model does not support thinking', 'reasoning'],
  ['messages.1.reasoning_content: Extra inputs are not permitted', undefined],
  ['max_tokens is too large: 16384. This model supports at most 4096 completion tokens.', undefined],
  ['temperature must be at most 1', undefined],
  ['Unsupported parameter: prompt_cache_key', undefined],
])('a field that is refused by name is left out, once: %s', (detail, field) => {
  const request = createRequest({ temperature: 0, maxOutputTokens: 100, reasoning: 'none' })
  expect(findRefused(failure('format_error', detail), request)).toBe(field)
  const repaired = repairRequest(failure('format_error', detail), request)
  if (field === undefined) return expect(repaired).toBeUndefined()
  const { [field]: _gone, ...kept } = request
  expect(repaired).toEqual(kept)
  expect(repaired && repairRequest(failure('format_error', detail), repaired)).toBeUndefined()
  expect(repairRequest(failure('context_overflow', detail), request)).toBeUndefined()
})
