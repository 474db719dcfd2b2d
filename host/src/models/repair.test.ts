import { expect, test } from 'vitest'
import { repairRequest } from './repair.ts'
import { createRequest } from './testing/model-call.ts'

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
  const repaired = repairRequest('thinking_signature', request)
  expect(repaired?.messages).toEqual([{ role: 'assistant', parts: [{ type: 'text', text: 'kept' }] }])
  expect(repaired && repairRequest('thinking_signature', repaired)).toBeUndefined()
})

test('patterns and formats are taken out of tool schemas, properties of that name are not', () => {
  const parameters = {
    type: 'object',
    properties: { pattern: { type: 'string', pattern: '^a', format: 'uri' }, list: { type: 'array', items: [{ format: 'date' }] } },
    required: ['pattern'],
  }
  const tools = [{ name: 'search', description: '', parameters }]
  expect(repairRequest('llama_cpp_grammar_pattern', createRequest({ tools }))?.tools[0]?.parameters).toEqual({
    type: 'object',
    properties: { pattern: { type: 'string' }, list: { type: 'array', items: [{}] } },
    required: ['pattern'],
  })
})

test('other failures are not repaired', () => {
  expect(repairRequest('rate_limit', createRequest())).toBeUndefined()
  expect(repairRequest('thinking_signature', createRequest())).toBeUndefined()
})
