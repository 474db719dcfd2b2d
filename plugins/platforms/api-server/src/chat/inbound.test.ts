import type { HttpRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type Chat, parseChat } from './inbound.ts'

async function parse(body: unknown, headers: Record<string, string> = {}, key?: string): Promise<Chat> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request: HttpRequest = { method: 'POST', url: '/', headers, body: new TextEncoder().encode(text), remote: '127.0.0.1' }
  return parseChat(request, key)
}

const user = (content: unknown): object => ({ role: 'user', content })
const said = (role: string, text: string): object => ({ role, parts: [{ type: 'text', text }] })

test('a conversation becomes instructions, history and input', async () => {
  const chat = await parse({
    model: 'any',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 7,
    max_tokens: 9,
    temperature: 0,
    reasoning_effort: 'minimal',
    tools: [{ type: 'function', function: { name: 'theirs' } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      user('one'),
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'theirs', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'result' },
      { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      user('three'),
      { role: 'assistant', content: 'cut off' },
    ],
  })
  expect(chat).toEqual({
    model: 'any',
    stream: true,
    includeUsage: true,
    custom: new Set(),
    ignored: [],
    turn: {
      clientTools: [{ name: 'theirs', description: '', parameters: { type: 'object' } }],
      source: 'api-server',
      canAnswer: false,
      instructions: 'Be brief.\nBe kind.',
      history: [
        said('user', 'one'),
        { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'theirs', args: '{}' }] },
        { role: 'tool', results: [{ id: 'c1', name: 'theirs', ok: true, text: 'result' }] },
        said('assistant', 'two'),
      ],
      input: [{ type: 'text', text: 'three' }],
      maxOutputTokens: 7,
      temperature: 0,
      reasoning: 'low',
      // first 16 digits of SHA-256("Be brief.\nBe kind.\none")
      session: { key: 'api-c1aa690dfde52a54' },
    },
  })
})

test('results at the end go on with the turn, before what the user adds', async () => {
  const call = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'theirs', arguments: '{}' } }],
  }
  const result = { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'seen' }] }
  const results = [{ id: 'c1', name: 'theirs', ok: true, text: 'seen' }]
  const roles = async (...messages: object[]) => {
    const { turn } = await parse({ messages })
    return [turn.history?.map(({ role }) => role), turn.results, turn.input]
  }
  expect(await roles(user('go'), call, result)).toEqual([['user', 'assistant'], results, []])
  expect(await roles(user('go'), call, result, user('and?'))).toEqual([['user', 'assistant'], results, [{ type: 'text', text: 'and?' }]])
})

const fn = (name: string) => ({ type: 'function', function: { name } })

test.each([
  ['auto', 'auto', ['a', 'b'], undefined],
  ['none', 'none', ['a', 'b'], 'none'],
  ['required', 'required', ['a', 'b'], 'required'],
  ['a name', fn('b'), ['a', 'b'], { name: 'b' }],
  ['a list', { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [fn('b')] } }, ['b'], 'required'],
])('tool_choice: %s', async (_what, tool_choice, names, toolChoice) => {
  const { turn } = await parse({ messages: [user('go')], tools: [fn('a'), fn('b'), { type: 'web_search' }], tool_choice })
  expect([turn.clientTools?.map(({ name }) => name), turn.toolChoice]).toEqual([names, toolChoice])
})

test('the form of the answer, what is not stored, the highest effort and a request without the tools of the agent', async () => {
  const schema = { type: 'object', properties: {} }
  const asked = { messages: [user('go')], store: false, reasoning_effort: 'max' }
  const format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } }
  expect((await parse({ ...asked, response_format: format }, { 'x-agent-tools': 'off' })).turn).toMatchObject({
    responseFormat: { type: 'json-schema', name: 'n', schema },
    store: false,
    reasoning: 'xhigh',
    agentTools: false,
  })
  expect((await parse({ ...asked, response_format: { type: 'json_object' } })).turn.responseFormat).toEqual({ type: 'json' })
  expect((await parse({ ...asked, response_format: { type: 'text' } })).turn.responseFormat).toBeUndefined()
})

test('what cannot be shown to the model in a result leaves a word, and a refusal is what was said', async () => {
  const { turn } = await parse({
    messages: [
      user('x'),
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }], tool_calls: [{ id: 'a', function: { name: 'shot' } }] },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
        ],
      },
    ],
  })
  expect(turn.history?.[1]).toMatchObject({ parts: [{ type: 'text', text: 'I will not.' }, { type: 'call' }] })
  expect(turn.results).toMatchObject([{ text: 'see\n[an image that cannot be shown here]' }])
})

test('the same beginning finds the same session, another one does not', async () => {
  const key = async (...messages: object[]): Promise<unknown> => (await parse({ messages })).turn.session
  const first = await key(user('hello'))
  expect(await key(user('hello'), { role: 'assistant', content: 'hi' }, user('more'))).toEqual(first)
  expect(await key({ role: 'system', content: 'x' }, user('hello'))).not.toEqual(first)
})

test('messages of one side in a row become one, so that roles alternate', async () => {
  const { turn } = await parse({
    messages: [
      user('a'),
      user('b'),
      { role: 'assistant', content: 'c' },
      { role: 'assistant', content: 'd' },
      user('e'),
      user(''),
      user('f'),
    ],
  })
  expect(turn.history?.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(turn.input).toEqual([
    { type: 'text', text: 'e' },
    { type: 'text', text: 'f' },
  ])
})

test('a message is as long as the body allows, and so is their number', async () => {
  const long = 'x'.repeat(200_000)
  expect((await parse({ messages: [{ role: 'system', content: long }, user(long)] })).turn).toMatchObject({
    instructions: long,
    input: [{ type: 'text', text: long }],
  })
  // Work that grew with the square of their number would take minutes.
  const many = await parse({ messages: Array.from({ length: 60_000 }, () => user('hi')) })
  expect(many.turn.input).toHaveLength(60_000)
})

test('signs of depth in a text are no depth', async () => {
  const content = `${'["{'.repeat(1_000)}\\"`
  expect((await parse({ messages: [user(content)] })).turn.input).toEqual([{ type: 'text', text: content }])
})

test('images are taken from web and data URLs in the order they were said', async () => {
  const url = 'data:image/png;base64,AAAA'
  const { turn } = await parse({
    messages: [
      user([
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url, detail: 'low' } },
        'and',
        { type: 'input_image', image_url: 'https://x.test/a.png' },
      ]),
    ],
  })
  expect(turn.input).toEqual([
    { type: 'text', text: 'see' },
    { type: 'image', url },
    { type: 'text', text: 'and' },
    { type: 'image', url: 'https://x.test/a.png' },
  ])
})

test('lists inside of lists are read up to ten deep', async () => {
  const { turn } = await parse({ messages: [user(JSON.parse(`${'['.repeat(10)}"x"${']'.repeat(10)}`))] })
  expect(turn.input).toEqual([{ type: 'text', text: 'x' }])
})

test.each([
  ['a file', { type: 'file', file: { file_id: 'f' } }, 'HTTP_CONTENT_UNSUPPORTED'],
  ['an input file', { type: 'input_file' }, 'HTTP_CONTENT_UNSUPPORTED'],
  ['a document as data', { type: 'image_url', image_url: { url: 'data:application/pdf;base64,AA' } }, 'HTTP_CONTENT_UNSUPPORTED'],
  ['an image without a URL', { type: 'image_url' }, 'HTTP_IMAGE_URL'],
  ['an image on a disk', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }, 'HTTP_IMAGE_URL'],
  ['an unknown part', { type: 'hologram' }, 'HTTP_CONTENT_PART'],
  ['a part without a type', { text: 'x' }, 'HTTP_CONTENT_PART'],
  ['a text part without text', { type: 'text' }, 'HTTP_CONTENT_PART'],
])('%s is refused by place', async (_what, part, code) => {
  await expect(parse({ messages: [user('ok'), user([part])] })).rejects.toThrow(
    expect.objectContaining({ code, params: expect.objectContaining({ param: 'messages.1.content.0' }) }),
  )
})

test.each([
  ['no JSON', '{"messages":', 'HTTP_BAD_JSON', undefined],
  ['no messages', {}, 'HTTP_INVALID', 'messages'],
  ['no user message', { messages: [{ role: 'system', content: 'x' }] }, 'HTTP_INVALID', 'messages'],
  ['an empty user message', { messages: [user('')] }, 'HTTP_INVALID', 'messages'],
  ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'HTTP_INVALID', 'messages.0.role'],
  ['content of another type', { messages: [user(5)] }, 'HTTP_INVALID', 'messages.0.content'],
  ['a stream flag of another type', { messages: [user('x')], stream: 'yes' }, 'HTTP_INVALID', 'stream'],
  ['no output tokens', { messages: [user('x')], max_tokens: 0 }, 'HTTP_INVALID', 'max_tokens'],
  ['an effort that does not exist', { messages: [user('x')], reasoning_effort: 'huge' }, 'HTTP_INVALID', 'reasoning_effort'],
  ['a result of no call', { messages: [user('x'), { role: 'tool', content: 'y' }] }, 'HTTP_INVALID', 'messages.1.tool_call_id'],
  [
    'a call of nothing',
    { messages: [user('x'), { role: 'assistant', tool_calls: [{ id: 'a' }] }] },
    'HTTP_INVALID',
    'messages.1.tool_calls.0',
  ],
  [
    'a call of the older kind',
    { messages: [user('x'), { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }] },
    'HTTP_INVALID',
    'messages.1.function_call',
  ],
  [
    'a result of the older kind',
    { messages: [user('x'), { role: 'function', name: 'f', content: 'y' }] },
    'HTTP_INVALID',
    'messages.1.role',
  ],
  ['a demand without tools', { messages: [user('x')], tool_choice: 'required' }, 'HTTP_INVALID', 'tool_choice'],
  ['a demand for another tool', { messages: [user('x')], tools: [fn('a')], tool_choice: fn('b') }, 'HTTP_INVALID', 'tool_choice'],
  ['two tools of one name', { messages: [user('x')], tools: [fn('a'), fn('a')] }, 'HTTP_INVALID', 'tools'],
  ['a tool without a name', { messages: [user('x')], tools: [{ type: 'function' }] }, 'HTTP_INVALID', 'tools.0.name'],
  ['a tool with a name of signs', { messages: [user('x')], tools: [fn('a'), fn('b c!')] }, 'HTTP_INVALID', 'tools.1.function.name'],
  [
    'a tool that takes a list',
    { messages: [user('x')], tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'array' } } }] },
    'HTTP_INVALID',
    'tools.0.function.parameters',
  ],
  [
    'a form without a schema',
    { messages: [user('x')], response_format: { type: 'json_schema' } },
    'HTTP_INVALID',
    'response_format.schema',
  ],
  ['a body without end in its depth', `{"messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'HTTP_BAD_JSON', ''],
  ['lists over ten deep', { messages: [user(JSON.parse(`${'['.repeat(11)}"x"${']'.repeat(11)}`))] }, 'HTTP_INVALID', 'messages.0.content'],
  ['too many parts in lists', { messages: [user([Array(600).fill('x'), Array(600).fill('x')])] }, 'HTTP_INVALID', 'messages.0.content'],
  ['too many parts', { messages: [user(Array(1_001).fill('x'))] }, 'HTTP_INVALID', 'messages.0.content'],
])('%s is refused', async (_what, body, code, param) => {
  await expect(parse(body)).rejects.toThrow(expect.objectContaining({ code, params: expect.objectContaining(param ? { param } : {}) }))
})

test('with a key, a session id continues what is stored instead of the history that was sent', async () => {
  const messages = [user('a'), { role: 'assistant', content: 'b' }, user('c')]
  expect((await parse({ messages }, { 'x-agent-session-id': 'ses_0abc' }, 'k')).turn).toEqual({
    source: 'api-server',
    canAnswer: false,
    session: { id: 'ses_0abc' },
    input: [{ type: 'text', text: 'c' }],
  })
  expect((await parse({ messages }, { 'x-agent-session-id': 'api-0123456789abcdef' }, 'k')).turn.session).toEqual({
    key: 'api-0123456789abcdef',
  })
})

test('a session id needs a key and the right form', async () => {
  const messages = [user('a')]
  await expect(parse({ messages }, { 'x-agent-session-id': 'ses_0abc' })).rejects.toThrow(
    expect.objectContaining({ code: 'HTTP_SESSION_KEYLESS' }),
  )
  await expect(parse({ messages }, { 'x-agent-session-id': '../x' }, 'k')).rejects.toThrow(
    expect.objectContaining({ code: 'HTTP_INVALID' }),
  )
})
