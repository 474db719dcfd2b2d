import type { HttpRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type Chat, parseChat } from './inbound.ts'

function parse(body: unknown, headers: Record<string, string> = {}, key?: string): Chat {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request: HttpRequest = { method: 'POST', url: '/', headers, body: new TextEncoder().encode(text), remote: '127.0.0.1' }
  return parseChat(request, key)
}

const user = (content: unknown): object => ({ role: 'user', content })
const said = (role: string, text: string): object => ({ role, parts: [{ type: 'text', text }] })

test('a conversation becomes instructions, history and input', () => {
  const chat = parse({
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
    turn: {
      source: 'api-server',
      canAnswer: false,
      instructions: 'Be brief.\nBe kind.',
      history: [said('user', 'one'), said('assistant', 'two')],
      input: [{ type: 'text', text: 'three' }],
      maxOutputTokens: 7,
      temperature: 0,
      reasoning: 'low',
      // first 16 digits of SHA-256("Be brief.\nBe kind.\none")
      session: { key: 'api-c1aa690dfde52a54' },
    },
  })
})

test('the same beginning finds the same session, another one does not', () => {
  const key = (...messages: object[]): unknown => parse({ messages }).turn.session
  const first = key(user('hello'))
  expect(key(user('hello'), { role: 'assistant', content: 'hi' }, user('more'))).toEqual(first)
  expect(key({ role: 'system', content: 'x' }, user('hello'))).not.toEqual(first)
})

test('messages of one side in a row become one, so that roles alternate', () => {
  const { turn } = parse({
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

test('a message is as long as the body allows, and so is their number', () => {
  const long = 'x'.repeat(200_000)
  expect(parse({ messages: [{ role: 'system', content: long }, user(long)] }).turn).toMatchObject({
    instructions: long,
    input: [{ type: 'text', text: long }],
  })
  // Work that grew with the square of their number would take minutes.
  const many = parse({ messages: Array.from({ length: 150_000 }, () => user('hi')) })
  expect(many.turn.input).toHaveLength(150_000)
})

test('images are taken from web and data URLs in the order they were said', () => {
  const url = 'data:image/png;base64,AAAA'
  const { turn } = parse({
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

test('lists inside of lists are read up to ten deep', () => {
  const { turn } = parse({ messages: [user(JSON.parse(`${'['.repeat(10)}"x"${']'.repeat(10)}`))] })
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
])('%s is refused by place', (_what, part, code) => {
  expect(() => parse({ messages: [user('ok'), user([part])] })).toThrow(
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
  ['lists over ten deep', { messages: [user(JSON.parse(`${'['.repeat(11)}"x"${']'.repeat(11)}`))] }, 'HTTP_INVALID', 'messages.0.content'],
  ['too many parts in lists', { messages: [user([Array(600).fill('x'), Array(600).fill('x')])] }, 'HTTP_INVALID', 'messages.0.content'],
  ['too many parts', { messages: [user(Array(1_001).fill('x'))] }, 'HTTP_INVALID', 'messages.0.content'],
])('%s is refused', (_what, body, code, param) => {
  expect(() => parse(body)).toThrow(expect.objectContaining({ code, params: expect.objectContaining(param ? { param } : {}) }))
})

test('with a key, a session id continues what is stored instead of the history that was sent', () => {
  const messages = [user('a'), { role: 'assistant', content: 'b' }, user('c')]
  expect(parse({ messages }, { 'x-agent-session-id': 'ses_0abc' }, 'k').turn).toEqual({
    source: 'api-server',
    canAnswer: false,
    session: { id: 'ses_0abc' },
    input: [{ type: 'text', text: 'c' }],
  })
  expect(parse({ messages }, { 'x-agent-session-id': 'api-0123456789abcdef' }, 'k').turn.session).toEqual({ key: 'api-0123456789abcdef' })
})

test('a session id needs a key and the right form', () => {
  const messages = [user('a')]
  expect(() => parse({ messages }, { 'x-agent-session-id': 'ses_0abc' })).toThrow(expect.objectContaining({ code: 'HTTP_SESSION_KEYLESS' }))
  expect(() => parse({ messages }, { 'x-agent-session-id': '../x' }, 'k')).toThrow(expect.objectContaining({ code: 'HTTP_INVALID' }))
})
