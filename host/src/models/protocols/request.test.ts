import type { ModelMessage, ModelRequest, ToolSpec } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Endpoint } from '../request/endpoint.ts'
import { createRequest } from '../testing/model-call.ts'
import { buildMessagesRequest } from './anthropic-messages/request.ts'
import { createChatWriter } from './openai-chat/request.ts'
import { buildResponsesRequest } from './openai-responses/request.ts'

const tools: readonly ToolSpec[] = ['one', 'two'].map((name) => ({ name, description: name, parameters: { type: 'object' } }))
const endpoint = (quirks: Endpoint['quirks'] = {}) => ({ provider: 'mine', quirks })

const history: readonly ModelMessage[] = [
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'image', url: 'data:image/png;base64,AAAA' },
      { type: 'image', url: 'https://x.test/a.png' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'opaque', provider: 'mine', data: { type: 'thinking', thinking: 't', signature: 's' } },
      { type: 'opaque', provider: 'other', data: { type: 'thinking', thinking: 'foreign', signature: 'f' } },
      { type: 'text', text: 'Looking.' },
      { type: 'call', id: 'call|1', name: 'one', args: '{"a": 1}' },
      { type: 'call', id: 'call2', name: 'two', args: '{"b":' },
    ],
  },
  {
    role: 'tool',
    results: [
      { id: 'call|1', name: 'one', ok: true, text: 'fine' },
      { id: 'call2', name: 'two', ok: false, text: '' },
    ],
  },
  { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
]
const request = (more: Partial<ModelRequest> = {}) => createRequest({ messages: history, tools, ...more })
const buildChatRequest = (asked: ModelRequest, of: ReturnType<typeof endpoint>) => JSON.parse(createChatWriter(of)(asked))

test('chat: a list of tools is written once, and another one as it is', () => {
  const write = createChatWriter(endpoint())
  const toolsOf = (asked: ModelRequest) => JSON.parse(write(asked)).tools?.map((tool: { function: { name: string } }) => tool.function.name)
  const looked: string[] = []
  const parameters = {
    get type() {
      looked.push('one')
      return 'object'
    },
  }
  const watched: readonly ToolSpec[] = [{ name: 'one', description: '', parameters }]
  expect([toolsOf(request({ tools: watched })), toolsOf(request({ tools: watched })), looked]).toEqual([['one'], ['one'], ['one']])
  expect([toolsOf(request()), toolsOf(request({ tools: [] })), toolsOf(request({ tools: watched }))]).toEqual([
    ['one', 'two'],
    undefined,
    ['one'],
  ])
})

test('chat: roles, calls, broken arguments and images in the wire form', () => {
  expect(buildChatRequest(request(), endpoint())).toEqual({
    model: 'fake-model',
    stream: true,
    stream_options: { include_usage: true },
    tools: ['one', 'two'].map((name) => ({ type: 'function', function: { name, description: name, parameters: { type: 'object' } } })),
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'call|1', type: 'function', function: { name: 'one', arguments: '{"a": 1}' } },
          { id: 'call2', type: 'function', function: { name: 'two', arguments: '{"broken_arguments":"{\\"b\\":"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call|1', content: 'fine' },
      { role: 'tool', tool_call_id: 'call2', content: '' },
      { role: 'user', content: 'And now?' },
    ],
  })
})

test('chat: quirks decide about the fields that servers disagree on', () => {
  const asked = request({ maxOutputTokens: 9, temperature: 0, reasoning: 'low' })
  expect(buildChatRequest(asked, endpoint())).toMatchObject({ max_tokens: 9, temperature: 0, reasoning_effort: 'low' })
  const body = buildChatRequest(
    asked,
    endpoint({
      maxTokensField: 'max_completion_tokens',
      usageInStream: false,
      reasoningField: 'reasoning',
      promptCache: 'key',
      parallelToolCalls: false,
    }),
  )
  expect(body).toMatchObject({
    max_completion_tokens: 9,
    reasoning: { effort: 'low' },
    prompt_cache_key: 'ses_1',
    parallel_tool_calls: false,
  })
  for (const absent of ['max_tokens', 'stream_options', 'reasoning_effort']) expect(body).not.toHaveProperty(absent)
  expect(buildChatRequest(asked, endpoint({ reasoningField: 'none' }))).not.toHaveProperty('reasoning_effort')
  expect(buildChatRequest(asked, endpoint({ temperature: false }))).not.toHaveProperty('temperature')
})

test.each([
  ['thinking', { thinking: { type: 'enabled' } }, { thinking: { type: 'disabled' } }],
  ['enable_thinking', { enable_thinking: true }, { enable_thinking: false }],
] as const)('chat: %s only says whether', (reasoningField, on, off) => {
  const build = (reasoning: 'low' | 'none') => buildChatRequest(request({ reasoning }), endpoint({ reasoningField }))
  expect(build('low')).toMatchObject(on)
  expect(build('none')).toMatchObject(off)
  expect(build('low')).not.toHaveProperty('reasoning_effort')
})

test('chat: ids of calls get nine letters and digits where a service wants them, the same for a call and its result', () => {
  const ids = (quirks: Endpoint['quirks']) => {
    const messages = buildChatRequest(request(), endpoint(quirks)).messages as { tool_call_id?: string; tool_calls?: { id: string }[] }[]
    return messages.flatMap(({ tool_call_id: result, tool_calls: calls = [] }) => [
      ...calls.map(({ id }) => id),
      ...(result ? [result] : []),
    ])
  }
  expect(ids({})).toEqual(['call|1', 'call2', 'call|1', 'call2'])
  const [one = '', two = '', ...results] = ids({ callIds: 'nine' })
  expect([one, two]).toEqual([expect.stringMatching(/^[A-Za-z0-9]{9}$/), expect.stringMatching(/^[A-Za-z0-9]{9}$/)])
  expect(one).not.toBe(two)
  expect(results).toEqual([one, two])
  const kept = request({ messages: [{ role: 'assistant', parts: [{ type: 'call', id: 'abcDEF123', name: 'one', args: '' }] }] })
  expect(JSON.stringify(buildChatRequest(kept, endpoint({ callIds: 'nine' })))).toContain('"abcDEF123"')
})

test('chat: reasoning goes back beside the calls that came of it, to its own provider', () => {
  const withReasoning = (provider: string, called: boolean) =>
    buildChatRequest(
      request({
        messages: [
          {
            role: 'assistant',
            parts: [
              { type: 'opaque', provider, data: { reasoning_content: 'so' } },
              ...(called ? [{ type: 'call' as const, id: 'c', name: 'one', args: '' }] : []),
            ],
          },
        ],
      }),
      endpoint(),
    ).messages
  expect(withReasoning('mine', true)).toMatchObject([
    {},
    { reasoning_content: 'so', content: null, tool_calls: [{ function: { arguments: '{}' } }] },
  ])
  expect(JSON.stringify([withReasoning('other', true), withReasoning('mine', false)])).not.toContain('reasoning_content')
})

test('the stable prefix stays the same bytes when the ephemeral text changes', () => {
  const prefix = (build: (ephemeral: string) => object, until: string) => {
    const [monday = '', tuesday = ''] = ['Monday', 'Tuesday'].map((day) => JSON.stringify(build(day)))
    expect(monday).toContain('Monday')
    expect(monday.slice(0, monday.indexOf(until) + until.length)).toBe(tuesday.slice(0, tuesday.indexOf(until) + until.length))
    expect(monday.indexOf(until)).toBeLessThan(monday.indexOf('Monday'))
  }
  prefix((ephemeral) => ({ m: buildChatRequest(request({ ephemeral }), endpoint()).messages }), 'Be brief.')
  prefix((ephemeral) => ({ i: buildResponsesRequest(request({ ephemeral }), endpoint()).instructions }), 'Be brief.')
  prefix((ephemeral) => ({ s: buildMessagesRequest(request({ ephemeral }), endpoint()).system }), 'Be brief."')
})

test('messages: roles alternate, ids are cleaned, foreign and unsigned reasoning is left out', () => {
  const body = buildMessagesRequest(request(), endpoint({ promptCache: 'none' }))
  expect(body).toMatchObject({ max_tokens: 16_384, stream: true, system: [{ type: 'text', text: 'Be brief.' }] })
  expect(body.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 't', signature: 's' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'call_1', name: 'one', input: { a: 1 } },
        { type: 'tool_use', id: 'call2', name: 'two', input: { broken_arguments: '{"b":' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'fine' },
        { type: 'tool_result', tool_use_id: 'call2', content: '(no output)', is_error: true },
        { type: 'text', text: 'And now?' },
      ],
    },
  ])
})

test('messages: four cache markers on tools, system and the last two messages; never on thinking', () => {
  const messages: ModelMessage[] = [
    ...history.slice(0, 3),
    { role: 'assistant', parts: [{ type: 'opaque', provider: 'mine', data: { type: 'thinking', thinking: 't', signature: 's' } }] },
  ]
  for (const given of [history, messages]) {
    const body = buildMessagesRequest(request({ messages: given, ephemeral: 'today' }), endpoint())
    const marked = JSON.stringify(body).match(/"cache_control"/g) ?? []
    expect(marked.length).toBe(given === history ? 4 : 3)
    expect(body.tools).toMatchObject([{ name: 'one' }, { name: 'two', cache_control: { type: 'ephemeral' } }])
    expect(body.system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'today' },
    ])
    expect(JSON.stringify(body)).not.toMatch(/"signature":"s","cache_control"/)
  }
  expect(history[0]).not.toHaveProperty('cache_control')
})

test('messages: an empty message keeps its place, and white space is no text', () => {
  const messages: ModelMessage[] = [
    { role: 'user', parts: [{ type: 'text', text: ' \n' }] },
    { role: 'assistant', parts: [{ type: 'opaque', provider: 'other', data: {} }] },
  ]
  expect(buildMessagesRequest(request({ messages }), endpoint({ promptCache: 'none' })).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: '(empty)' }] },
    { role: 'assistant', content: [{ type: 'text', text: '(empty)' }] },
  ])
})

test.each([
  ['claude-sonnet-4-5', undefined, { thinking: { type: 'enabled', budget_tokens: 16_384 }, max_tokens: 32_768 }],
  ['claude-sonnet-4-5-20250929', 4000, { thinking: { type: 'enabled', budget_tokens: 2976 }, max_tokens: 4000 }],
  ['claude-sonnet-4-5@20250929', 4000, { thinking: { type: 'enabled', budget_tokens: 2976 }, max_tokens: 4000 }],
  ['claude-opus-4-7', undefined, { thinking: { type: 'adaptive' }, output_config: { effort: 'high' }, max_tokens: 32_000 }],
  ['claude-sonnet-5-5', undefined, { thinking: { type: 'adaptive' }, output_config: { effort: 'high' }, max_tokens: 32_000 }],
] as const)('messages: %s thinks in its own way and takes no temperature', (model, maxOutputTokens, expected) => {
  const body = buildMessagesRequest(
    request({ model, reasoning: 'high', temperature: 0.5, ...(maxOutputTokens ? { maxOutputTokens } : {}) }),
    endpoint(),
  )
  expect(body).toMatchObject(expected)
  expect(body).not.toHaveProperty('temperature')
})

test.each([
  ['claude-opus-4-7', false],
  ['claude-sonnet-5-5', false],
  ['claude-fable-5', false],
  ['claude-opus-4-1-20250805', true],
  ['claude-sonnet-4-6', true],
  ['claude-3-5-haiku-latest', true],
  ['MiniMax-M2.7', true],
])('messages: without thinking %s takes a temperature: %s', (model, takes) => {
  expect('temperature' in buildMessagesRequest(request({ model, temperature: 0.5 }), endpoint())).toBe(takes)
})

test.each([
  ['claude-3-5-haiku-latest', {}],
  ['claude-sonnet-4-5', { maxOutputTokens: 1500 }],
  ['claude-sonnet-4-5', { reasoning: 'none' as const }],
])('messages: %s with %j does not think', (model, more) => {
  const body = buildMessagesRequest(request({ model, reasoning: 'low', temperature: 0.5, ...more }), endpoint())
  expect(body).toMatchObject({ temperature: 0.5 })
  expect(body).not.toHaveProperty('thinking')
})

test('responses: items in order, nothing stored, reasoning fields only for models that reason', () => {
  const item = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'enc' }
  const messages: ModelMessage[] = [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'Look' },
        { type: 'image', url: 'https://x.test/a.png' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'opaque', provider: 'mine', data: item },
        { type: 'opaque', provider: 'other', data: item },
        { type: 'text', text: 'Yes' },
        { type: 'call', id: 'c', name: 'one', args: '{' },
      ],
    },
    { role: 'tool', results: [{ id: 'c', name: 'one', ok: true, text: 'fine' }] },
  ]
  const body = buildResponsesRequest(
    request({ messages, model: 'gpt-5.1', reasoning: 'high', maxOutputTokens: 70 }),
    endpoint({ promptCache: 'key' }),
  )
  expect(body).toMatchObject({
    store: false,
    instructions: 'Be brief.',
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high', summary: 'auto' },
  })
  expect(body).toMatchObject({
    max_output_tokens: 70,
    prompt_cache_key: 'ses_1',
    tools: [{ type: 'function', name: 'one' }, { name: 'two' }],
  })
  expect(body.input).toEqual([
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' },
      ],
    },
    item,
    { role: 'assistant', content: [{ type: 'output_text', text: 'Yes' }] },
    { type: 'function_call', call_id: 'c', name: 'one', arguments: '{"broken_arguments":"{"}' },
    { type: 'function_call_output', call_id: 'c', output: 'fine' },
  ])
  for (const model of ['gpt-4.1', 'gpt-5-chat-latest']) {
    expect(buildResponsesRequest(request({ model, reasoning: 'high' }), endpoint())).not.toHaveProperty('include')
  }
})

test.each<[string, Partial<ModelRequest>, object]>([
  ['gpt-4.1', { maxOutputTokens: 8, temperature: 0, reasoning: 'none' }, { max_output_tokens: 16, temperature: 0 }],
  ['gpt-5-chat-latest', { temperature: 0.5 }, { temperature: 0.5 }],
  ['gpt-5.1-chat-latest', { temperature: 0.5 }, {}],
  ['gpt-5', { maxOutputTokens: 100, temperature: 0, reasoning: 'none' }, { max_output_tokens: 100, reasoning: { effort: 'minimal' } }],
  ['gpt-5-mini', { reasoning: 'none' }, { reasoning: { effort: 'minimal' } }],
  ['gpt-5-pro', { reasoning: 'none' }, { reasoning: { effort: 'high' } }],
  ['gpt-5.2-pro', { reasoning: 'none' }, { reasoning: { effort: 'medium' } }],
  ['gpt-5.3-codex', { temperature: 0, reasoning: 'none' }, { reasoning: { effort: 'low' } }],
  ['codex-mini-latest', { reasoning: 'none' }, { reasoning: { effort: 'low' } }],
  ['o4-mini', { temperature: 0.5, reasoning: 'none' }, { reasoning: { effort: 'low' } }],
  ['gpt-5.1', { temperature: 0.5 }, {}],
  ['gpt-5.1', { temperature: 0.5, reasoning: 'low' }, { reasoning: { effort: 'low', summary: 'auto' } }],
  ['gpt-5.4-mini', { temperature: 0, reasoning: 'none' }, { temperature: 0, reasoning: { effort: 'none' } }],
  ['gpt-6-sol', { temperature: 0, reasoning: 'none' }, { reasoning: { effort: 'none' } }],
])('responses: %s is told of %j what it takes', (model, more, expected) => {
  const { max_output_tokens, temperature, reasoning } = buildResponsesRequest(request({ model, ...more }), endpoint())
  expect(JSON.parse(JSON.stringify({ max_output_tokens, temperature, reasoning }))).toEqual(expected)
})

test('responses: a service that refuses a field does not get it', () => {
  const asked = request({ model: 'gpt-4.1', maxOutputTokens: 100, temperature: 0 })
  const build = (quirks: Endpoint['quirks'], more = asked) => buildResponsesRequest(more, endpoint(quirks))
  expect(build({ maxTokensField: 'none' })).not.toHaveProperty('max_output_tokens')
  expect(build({ temperature: false })).not.toHaveProperty('temperature')
  const thinking = build({ reasoningField: 'none' }, request({ model: 'gpt-5.1', reasoning: 'high' }))
  expect([thinking.include, thinking.reasoning]).toEqual([['reasoning.encrypted_content'], undefined])
  expect(buildChatRequest(asked, endpoint({ maxTokensField: 'none' }))).not.toHaveProperty('max_tokens')
})

test.each([
  ['none' as const, 'none', 'none', { type: 'none' }],
  ['required' as const, 'required', 'required', { type: 'any' }],
  [{ name: 'one' }, { type: 'function', function: { name: 'one' } }, { type: 'function', name: 'one' }, { type: 'tool', name: 'one' }],
])('the choice %j is said in the words of each protocol', (toolChoice, chat, responses, messages) => {
  expect(buildChatRequest(request({ toolChoice }), endpoint()).tool_choice).toEqual(chat)
  expect(buildResponsesRequest(request({ toolChoice }), endpoint()).tool_choice).toEqual(responses)
  expect(buildMessagesRequest(request({ toolChoice }), endpoint()).tool_choice).toEqual(messages)
})

test('a choice is not forced upon a model that thinks, and not said where there are no tools', () => {
  const thinking = request({ toolChoice: 'required', reasoning: 'high', model: 'claude-opus-4-5' })
  expect(buildMessagesRequest(thinking, endpoint()).tool_choice).toBeUndefined()
  expect(buildChatRequest(request({ toolChoice: 'none', tools: [] }), endpoint()).tool_choice).toBeUndefined()
})
