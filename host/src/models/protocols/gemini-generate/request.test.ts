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

test('what was said goes back as it was, empty parts do not, and a content is never empty', () => {
  const said = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
  const asked = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
  expect(build({ system: '', messages: [asked('a'), said('b'), asked('')] })).toEqual({
    contents: [
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }] },
      { role: 'user', parts: [{ text: '(empty)' }] },
    ],
  })
  expect(build({ messages: [asked('a'), said('')] }).contents).toMatchObject([{}, { parts: [{ text: '(empty)' }] }])
})

test.each([
  ['auto', 'AUTO'],
  ['none', 'NONE'],
  ['required', 'ANY'],
] as const)('a choice that is %s is the mode %s, and parameters of a tool are narrowed', (toolChoice, mode) => {
  const tools = [
    { name: 'one', description: 'One.', parameters: { type: 'object', properties: { a: { const: 'x' } }, additionalProperties: false } },
  ]
  expect(build({ tools, toolChoice })).toMatchObject({
    tools: [{ functionDeclarations: [{ parameters: { type: 'object', properties: { a: { type: 'string', enum: ['x'] } } } }] }],
    toolConfig: { functionCallingConfig: { mode } },
  })
})

test.each([
  ['gemini-3-pro-preview', [true, false]],
  ['gemini-pro-latest', [true, false]],
  ['gemini-2.5-pro', [false, false]],
  ['gemini-1.5-pro', [false, false]],
  ['gemma-3-27b-it', [false, false]],
] as const)('the first of two calls of another model stands in for a signature with %s: %j', (model, expected) => {
  const parts = [call('a', 'one'), call('b', 'two')]
  const [, content] = build({ model, messages: [...createRequest().messages, { role: 'assistant', parts }] }).contents as {
    parts: object[]
  }[]
  expect(content?.parts.map((part) => 'thoughtSignature' in part)).toEqual(expected)
})

test('a temperature is left out where the service refuses one, and a picture without an ending is a photograph', () => {
  const quirky = buildGenerateRequest(createRequest({ temperature: 0 }), { provider: 'mine', quirks: { temperature: false } })
  expect(quirky).not.toHaveProperty('generationConfig')
  const image = (url: string): ModelMessage => ({ role: 'user', parts: [{ type: 'image', url }] })
  expect(build({ messages: [image('https://x.test/picture')] }).contents).toMatchObject([
    { parts: [{ fileData: { mimeType: 'image/jpeg' } }] },
  ])
})

test('a model of the third generation takes a level', () => {
  expect(build({ model: 'gemini-3.1-pro', reasoning: 'medium' }).generationConfig).toEqual({
    thinkingConfig: { thinkingLevel: 'medium', includeThoughts: true },
  })
  expect(build({ model: 'gemini-3.1-pro' })).not.toHaveProperty('generationConfig')
})
