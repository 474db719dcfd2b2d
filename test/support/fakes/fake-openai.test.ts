import { expect, test } from 'vitest'
import { startFakeOpenai } from './fake-openai.ts'
import type { Body, FakeOptions } from './fake-vendor.ts'

async function post(path: string, body: Body, options: FakeOptions = {}, headers: Record<string, string> = {}) {
  await using server = await startFakeOpenai(options)
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const user = { role: 'user', content: 'Hello' }
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'one', arguments: '{}' } }],
}
const answered = { role: 'tool', tool_call_id: 'c1', content: 'fine' }
const chat = (more: Body, messages: readonly unknown[] = [user]) => post('/chat/completions', { model: 'fake-model', messages, ...more })

test.each<[string, Body, readonly unknown[] | undefined, string]>([
  ['a missing model', { model: undefined }, undefined, 'model parameter'],
  ['an unknown field', { cache: true }, undefined, 'Unrecognized request argument supplied: cache'],
  ['no messages', {}, [], 'empty array'],
  ['stream options without a stream', { stream_options: { include_usage: true } }, undefined, 'only allowed when'],
  [
    'a bad tool name',
    { tools: [{ type: 'function', function: { name: 'a b', parameters: { type: 'object' } } }] },
    undefined,
    'does not match pattern',
  ],
  [
    'a schema that is no object',
    { tools: [{ type: 'function', function: { name: 'a', parameters: {} } }] },
    undefined,
    'type: \\"object\\"',
  ],
  ['an unknown role', {}, [{ role: 'robot', content: '' }], "Invalid value: 'robot'"],
  ['a result without a call', {}, [user, answered], 'must be a response to a preceeding message'],
  ['a result for another call', {}, [user, called, { ...answered, tool_call_id: 'c2' }], "'tool_call_id' of 'c2' not found"],
  ['a call without a result', {}, [user, called, user], 'did not have response messages: c1'],
  ['a call without a result at the end', {}, [user, called], 'did not have response messages: c1'],
  [
    'arguments that are no text',
    {},
    [user, { ...called, tool_calls: [{ id: 'c1', function: { arguments: {} } }] }, answered],
    'expected a string',
  ],
  ['a message without content', {}, [{ role: 'user', content: null }], 'got null'],
])('chat refuses %s', async (_title, more, messages, problem) => {
  const { status, body } = await chat(more, messages)
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ error: { type: 'invalid_request_error' } })
  expect(body).toContain(problem)
})

const system = { role: 'system', content: 'Be kind.' }
const yes = { role: 'assistant', content: 'Yes.' }
const strictly = (...messages: readonly unknown[]) =>
  post('/chat/completions', { model: 'fake-model', messages }, { rules: { strictRoles: true } })

test.each<[string, readonly unknown[]]>([
  ['two messages of a person', [user, user]],
  ['two messages of the agent', [user, yes, yes]],
  ['a call after an answer', [user, yes, called, answered]],
  ['an agent that begins', [system, yes]],
  ['a prompt in the middle', [user, yes, system, user]],
  ['a second prompt', [system, system, user]],
  ['a person between a result and its answer', [user, called, answered, user]],
])('with strict roles chat refuses %s', async (_title, messages) => {
  const { status, body } = await strictly(...messages)
  expect([status, body]).toEqual([400, expect.stringContaining('roles must alternate')])
  expect(await chat({}, messages)).toMatchObject({ status: 200 })
})

test('with strict roles chat takes person and agent in turns, with calls between', async () => {
  expect(await strictly(system, user, called, answered, called, answered, yes, user)).toMatchObject({ status: 200 })
  expect(await strictly(user, yes, user)).toMatchObject({ status: 200 })
})

test('chat takes a sound conversation, and streams parallel calls in turns', async () => {
  const calls = [
    { name: 'one', args: '{"path":"a"}' },
    { name: 'two', args: '{"path":"b"}' },
  ]
  const { status, body } = await post(
    '/chat/completions',
    { model: 'fake-model', messages: [user, called, answered], stream: true },
    { answers: [{ calls }] },
  )
  expect(status).toBe(200)
  const order = [...body.matchAll(/"tool_calls":\[\{"index":(\d)/g)].map((found) => found[1])
  expect(order.join('')).toBe('010101')
  expect(body).toMatch(/data: \[DONE\]\n\n$/)
})

const responses = (
  more: Body,
  input: readonly unknown[] = [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
  options: FakeOptions = {},
) => post('/responses', { model: 'fake-model', input, ...more }, options)
const functionCall = { type: 'function_call', call_id: 'c1', name: 'one', arguments: '{}' }

test.each<[string, Body, readonly unknown[] | undefined, string]>([
  ['a missing model', { model: '' }, undefined, 'model parameter'],
  ['an unknown field', { messages: [] }, undefined, "Unknown parameter: 'messages'"],
  ['no input', {}, [], 'Missing required parameter'],
  ['a tool without a name', { tools: [{ type: 'function' }] }, undefined, 'tools[0].name'],
  [
    'encrypted reasoning of a model that does not reason',
    { include: ['reasoning.encrypted_content'] },
    undefined,
    'not supported with this model',
  ],
  ['a result without a call', {}, [{ type: 'function_call_output', call_id: 'c9', output: '' }], 'call_id c9'],
  ['a call without a result', {}, [functionCall], 'No tool output found for function call c1'],
  ['foreign reasoning', {}, [{ type: 'reasoning', encrypted_content: 'mine' }], 'could not be verified'],
  ['an assistant with input', {}, [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }], "Invalid value: 'input_text'"],
])('responses refuse %s', async (_title, more, input, problem) => {
  const { status, body } = await responses(more, input)
  expect(status).toBe(400)
  expect(body).toContain(problem)
})

test.each<[string, Body, string | undefined]>([
  ['gpt-4.1', { max_output_tokens: 15 }, 'Expected a value >= 16, but got 15 instead'],
  ['gpt-4.1', { max_output_tokens: 16, temperature: 0 }, undefined],
  ['gpt-5', { temperature: 0 }, "Unsupported parameter: 'temperature'"],
  ['gpt-6-sol', { temperature: 0, reasoning: { effort: 'none' } }, "Unsupported parameter: 'temperature'"],
  ['gpt-5.1', { temperature: 0 }, "Unsupported parameter: 'temperature'"],
  ['gpt-5.1', { temperature: 0, reasoning: { effort: 'none' } }, undefined],
  ['gpt-5-mini', { reasoning: { effort: 'none' } }, "Unsupported value: 'none'"],
  ['gpt-5-mini', { reasoning: { effort: 'minimal' } }, undefined],
  ['gpt-5.3-codex', { reasoning: { effort: 'none' } }, 'Supported values are: low, medium, high, xhigh'],
  ['o3', { reasoning: { effort: 'minimal' } }, 'Supported values are: low, medium, high.'],
  ['gpt-5-chat-latest', { temperature: 0 }, undefined],
])('responses of %s to %j: %s', async (model, more, problem) => {
  const { status, body } = await responses({ model, ...more }, undefined, { models: [model] })
  expect(status).toBe(problem === undefined ? 200 : 400)
  if (problem !== undefined) expect(body).toContain(problem)
})

test('the service behind a plan refuses fields by its own rules, in its own words', async () => {
  const rules = { refuses: ['max_output_tokens', 'temperature'] }
  const { status, body } = await responses({ max_output_tokens: 400 }, undefined, { rules })
  expect([status, JSON.parse(body)]).toEqual([400, { detail: 'Unsupported parameter: max_output_tokens' }])
  expect((await responses({}, undefined, { rules })).status).toBe(200)
})

test('an unknown model, a wrong key, an unknown path and a limited rate have their own status', async () => {
  expect(await chat({ model: 'gpt-none' })).toMatchObject({ status: 404, body: expect.stringContaining('model_not_found') })
  const body = { model: 'fake-model', messages: [user] }
  expect(await post('/chat/completions', body, { key: 'right' }, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
  expect(await post('/chat/completions', body, { key: 'right' }, { authorization: 'Bearer right' })).toMatchObject({ status: 200 })
  expect((await post('/completions', body)).status).toBe(404)
  const limited = await post('/chat/completions', body, {
    answers: [{ refuse: { status: 429, message: 'slow', headers: { 'retry-after': '3' } } }],
  })
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3'])
})
