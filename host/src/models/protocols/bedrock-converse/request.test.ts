import type { ModelMessage, ModelRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Endpoint } from '../../request/endpoint.ts'
import { createRequest } from '../../testing/model-call.ts'
import { buildConverseRequest } from './request.ts'

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const tools = [{ name: 'one', description: 'One.', parameters: { type: 'object' } }]
const spec = { toolSpec: { name: 'one', description: 'One.', inputSchema: { json: { type: 'object' } } } }
const cachePoint = { cachePoint: { type: 'default' } }
const build = (more: Partial<ModelRequest>, endpoint: Partial<Endpoint> = {}) =>
  buildConverseRequest(createRequest(more), { provider: 'mine', quirks: {}, variables: {}, ...endpoint })

const history: readonly ModelMessage[] = [
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'image', url: 'data:image/jpg;base64,AAAA' },
      { type: 'image', url: 'https://x.test/a.png' },
      { type: 'image', url: 'data:image/tiff;base64,AAAA' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'opaque', provider: 'mine', data: { reasoningText: { text: 't', signature: 's' } } },
      { type: 'opaque', provider: 'other', data: { reasoningText: { text: 'f', signature: 'f' } } },
      { type: 'text', text: ' ' },
      { type: 'call', id: 'call|1', name: 'one', args: '{"a": 1}' },
    ],
  },
  { role: 'tool', results: [{ id: 'call|1', name: 'one', ok: false, text: '' }] },
  { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
]

test('roles alternate, ids are cleaned, reasoning goes back to its own provider, and images go as bytes', () => {
  expect(build({ model: 'amazon.nova-pro-v1:0', messages: history, tools }, { quirks: { promptCache: 'none' } })).toEqual({
    system: [{ text: 'Be brief.' }],
    toolConfig: { tools: [spec] },
    messages: [
      {
        role: 'user',
        content: [
          { text: 'Look' },
          { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
          { text: '(an image at https://x.test/a.png)' },
          { text: '(an image of a kind that cannot be shown here)' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 't', signature: 's' } } },
          { toolUse: { toolUseId: 'call_1', name: 'one', input: { a: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: '(no output)' }], status: 'error' } }, { text: 'And now?' }],
      },
    ],
  })
})

test('points of the cache stand where a family takes them: after tools, system and the last two things that were said', () => {
  const points = (model: string, quirks: Endpoint['quirks'] = {}) => {
    const { toolConfig, system, messages } = build({ model, messages: history, tools, ephemeral: 'Monday' }, { quirks }) as {
      toolConfig: { tools: object[] }
      system: object[]
      messages: { content: object[] }[]
    }
    const has = (blocks: readonly object[]) => blocks.some((block) => 'cachePoint' in block)
    return [has(toolConfig.tools), has(system), ...messages.map(({ content }) => has(content))]
  }
  expect(points(claude)).toEqual([true, true, true, false, true])
  expect(points('amazon.nova-pro-v1:0')).toEqual([false, true, true, false, true])
  expect(points('meta.llama3-3-70b-instruct-v1:0')).toEqual([false, false, false, false, false])
  expect(points('anthropic.claude-3-haiku-20240307-v1:0')).toEqual([false, false, false, false, false])
  expect(points('arn:aws:bedrock:us-east-1:1:application-inference-profile/abc')).toEqual([false, false, false, false, false])
  expect(points(claude, { promptCache: 'none' })).toEqual([false, false, false, false, false])
  expect(build({ model: claude, ephemeral: 'Monday' }).system).toEqual([{ text: 'Be brief.' }, cachePoint, { text: 'Monday' }])
})

test.each<[string, Partial<ModelRequest>, object]>([
  [
    claude,
    { reasoning: 'low', temperature: 1, toolChoice: 'required', tools },
    {
      inferenceConfig: { maxTokens: 18_432 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_048 } },
      toolConfig: { tools: [spec, cachePoint] },
    },
  ],
  [
    'global.anthropic.claude-opus-4-6-v1',
    { reasoning: 'high' },
    { additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } } },
  ],
  [
    'openai.gpt-oss-120b-1:0',
    { reasoning: 'xhigh', temperature: 0 },
    { inferenceConfig: { temperature: 0 }, additionalModelRequestFields: { reasoning_effort: 'high' } },
  ],
  ['us.amazon.nova-2-lite-v1:0', { reasoning: 'none' }, { additionalModelRequestFields: { reasoningConfig: { type: 'disabled' } } }],
  [
    'us.amazon.nova-2-lite-v1:0',
    { reasoning: 'xhigh' },
    { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } } },
  ],
  ['meta.llama3', { reasoning: 'high', maxOutputTokens: 9 }, { inferenceConfig: { maxTokens: 9 } }],
  [claude, { reasoning: 'none', temperature: 0.5 }, { inferenceConfig: { temperature: 0.5 } }],
  ['us.anthropic.claude-sonnet-5-5', { temperature: 0.5 }, {}],
])('%s with %j is asked in the words of its family', (model, more, expected) => {
  const { messages: _, system: __, ...body } = build({ model, ...more })
  expect(body).toEqual(expected)
})

test('tools stay named while the conversation has calls, and none at all is an empty choice', () => {
  const calls = { messages: history.slice(0, 3) }
  expect(build({ model: 'm', ...calls }).toolConfig).toEqual({
    tools: [{ toolSpec: { name: 'one', inputSchema: { json: { type: 'object' } } } }],
  })
  expect(build({ model: 'm', ...calls, tools, toolChoice: 'none' }).toolConfig).toEqual({ tools: [spec] })
  expect(build({ model: 'm', tools, toolChoice: 'none' })).not.toHaveProperty('toolConfig')
  expect(build({ model: 'm', tools, toolChoice: { name: 'one' } }).toolConfig).toMatchObject({ toolChoice: { tool: { name: 'one' } } })
  expect(build({ model: 'm', tools, toolChoice: 'required' }).toolConfig).toMatchObject({ toolChoice: { any: {} } })
})

test('a guardrail of the settings goes with every call', () => {
  expect(build({}, { variables: { guardrail: 'g' } }).guardrailConfig).toEqual({ guardrailIdentifier: 'g', guardrailVersion: 'DRAFT' })
  expect(build({}, { variables: { guardrail: 'g', 'guardrail-version': '3' } }).guardrailConfig).toMatchObject({ guardrailVersion: '3' })
  expect(build({})).not.toHaveProperty('guardrailConfig')
})

test('what was said goes back as it was, a message is never empty, and only an outcome that failed is told as such', () => {
  const results = [
    { id: 'a', name: 'one', ok: true, text: 'fine' },
    { id: `b${'x'.repeat(80)}`, name: 'one', ok: false, text: ' ' },
  ]
  const messages: ModelMessage[] = [
    { role: 'user', parts: [{ type: 'text', text: ' ' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Looking.' },
        { type: 'opaque', provider: 'mine', data: { reasoningText: '' } },
        { type: 'opaque', provider: 'mine', data: { thinking: 'of another protocol' } },
      ],
    },
    { role: 'tool', results },
  ]
  const contentOf = (model: string) =>
    (build({ model, messages }, { quirks: { promptCache: 'none' } }).messages as { content: object[] }[]).map(({ content }) => content)
  const outcome = (id: string, text: string) => ({ toolResult: { toolUseId: id, content: [{ text }] } })
  const failed = outcome(`b${'x'.repeat(63)}`, '(no output)')
  expect(contentOf('meta.llama3')).toEqual([[{ text: '(empty)' }], [{ text: 'Looking.' }], [outcome('a', 'fine'), failed]])
  expect(contentOf(claude)[2]).toEqual([outcome('a', 'fine'), { toolResult: { ...failed.toolResult, status: 'error' } }])
})

test('nothing is sent that was not asked for', () => {
  expect(build({ model: 'meta.llama3', system: '' })).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] })
  expect(build({ model: 'openai.gpt-oss-120b-1:0' })).not.toHaveProperty('additionalModelRequestFields')
  expect(build({ model: claude, system: '', ephemeral: 'Monday' }).system).toEqual([{ text: 'Monday' }])
  expect(build({ model: 'm', tools, toolChoice: 'auto' }).toolConfig).toEqual({ tools: [spec] })
  expect(build({ model: 'us.amazon.nova-2-lite-v1:0', reasoning: 'low' }).additionalModelRequestFields).toMatchObject({
    reasoningConfig: { maxReasoningEffort: 'low' },
  })
  expect(build({ model: 'global.anthropic.claude-opus-4-6-v1', reasoning: 'high' })).not.toHaveProperty('inferenceConfig')
})

test('of many questions the last two have a point of the cache', () => {
  const messages = ['a', 'b', 'c', 'd', 'e'].map(
    (text, index): ModelMessage => ({ role: index % 2 === 0 ? 'user' : 'assistant', parts: [{ type: 'text', text }] }),
  )
  const built = build({ model: claude, messages }).messages as { content: object[] }[]
  expect(built.map(({ content }) => content.length)).toEqual([1, 1, 2, 1, 2])
})
