import type { ModelMessage, ModelRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { startFakeGemini } from '../../../../../test/support/fakes/fake-gemini.ts'
import { collect, createDeps, createRequest, createTestCall } from '../../testing/model-call.ts'
import { openGeminiGenerate } from './gemini-generate.ts'
import { buildGenerateRequest } from './request.ts'

const endpoint = { provider: 'mine', quirks: {} }
const build = (more: Partial<ModelRequest>) => buildGenerateRequest(createRequest(more), endpoint)
const opaque = (provider: string, data: Record<string, string>) => ({ type: 'opaque' as const, provider, data })
const call = (id: string, name: string, args = '{}') => ({ type: 'call' as const, id, name, args })

const history: readonly ModelMessage[] = [
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'image', url: 'data:image/png;base64,AAAA' },
      { type: 'image', url: 'https://x.test/a.webp?b' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      opaque('mine', { call: 'c1', thoughtSignature: 'c2lnLTE=', id: 'own' }),
      opaque('other', { call: 'c2', thoughtSignature: 'foreign' }),
      call('c1', 'one', '{"a":1}'),
      call('c2', 'two', '{"b":'),
    ],
  },
  {
    role: 'tool',
    results: [
      { id: 'c1', name: 'one', ok: true, text: 'fine' },
      { id: 'c2', name: 'two', ok: false, text: 'no' },
    ],
  },
  { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
]

test('contents alternate; a call goes back with what its vendor gave beside it, and results with its name', () => {
  expect(build({ messages: history, ephemeral: 'Monday' })).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Monday' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Look' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://x.test/a.webp?b' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'own', name: 'one', args: { a: 1 } }, thoughtSignature: 'c2lnLTE=' },
          { functionCall: { name: 'two', args: { broken_arguments: '{"b":' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'own', name: 'one', response: { output: 'fine' } } },
          { functionResponse: { name: 'two', response: { error: 'no' } } },
          { text: 'And now?' },
        ],
      },
    ],
  })
})

test.each([
  ['gemini-2.5-flash', 'high', { thinkingBudget: 16_384, includeThoughts: true }],
  ['gemini-2.5-flash', 'none', { thinkingBudget: 0, includeThoughts: false }],
  ['gemini-2.5-pro', 'none', { thinkingBudget: 128, includeThoughts: false }],
  ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'high', includeThoughts: true }],
  ['gemini-3-flash-preview', 'none', { thinkingLevel: 'minimal', includeThoughts: false }],
  ['gemini-2.0-flash', 'high', undefined],
  ['gemma-3-27b-it', 'high', undefined],
] as const)('%s is asked for %s thoughts in the words that it takes', (model, reasoning, thinkingConfig) => {
  expect(build({ model, reasoning }).generationConfig).toEqual(thinkingConfig && { thinkingConfig })
})

test('limits, temperature and the choice of a tool go to their places, a tool without parameters has none', () => {
  const tools = [{ name: 'one', description: 'One.', parameters: { type: 'object', properties: {} } }]
  expect(build({ tools, toolChoice: { name: 'one' }, maxOutputTokens: 9, temperature: 0 })).toMatchObject({
    tools: [{ functionDeclarations: [{ name: 'one', description: 'One.' }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['one'] } },
    generationConfig: { maxOutputTokens: 9, temperature: 0 },
  })
  expect(JSON.stringify(build({ tools }))).not.toContain('"parameters"')
})

test('calls of another model pass where a signature is needed', async () => {
  await using server = await startFakeGemini({ models: ['gemini-3-pro-preview'] })
  const stream = openGeminiGenerate(createDeps({ provider: 'mine', baseUrl: server.url, protocol: 'gemini-generate' }))
  const parts = [call('a', 'one'), call('b', 'two')]
  const results = parts.map(({ id, name }) => ({ id, name, ok: true, text: '' }))
  const messages: ModelMessage[] = [...createRequest().messages, { role: 'assistant', parts }, { role: 'tool', results }]
  const events = await collect(stream(createRequest({ model: 'gemini-3-pro-preview', messages }), createTestCall()))
  expect(events.at(-1)).toMatchObject({ type: 'end' })
})
