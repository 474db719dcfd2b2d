import { expect, test } from 'vitest'
import { startFakeAnthropic } from './fake-anthropic.ts'
import type { Body } from './fake-vendor.ts'

const version = { 'anthropic-version': '2023-06-01' }

async function post(body: Body, headers: Record<string, string> = version) {
  await using server = await startFakeAnthropic({ key: 'right' })
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'right', ...headers },
    body: JSON.stringify({ model: 'fake-model', max_tokens: 100, messages: [user], ...body }),
  })
  return { status: response.status, body: await response.text() }
}

const user = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'one', input: {} }] }
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'fine' }] }
const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }
const assistant = (block: Body) => ({ messages: [user, { role: 'assistant', content: [block] }] })

test.each<[string, Body, string]>([
  ['a missing limit', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['an unknown field', { prompt: '' }, 'prompt: Extra inputs are not permitted'],
  ['no messages', { messages: [] }, 'at least one message'],
  ['an assistant first', { messages: [use, result] }, 'first message must use'],
  ['two messages of one role', { messages: [user, user] }, 'roles must alternate'],
  ['a result without a use', { messages: [result] }, 'unexpected `tool_use_id`'],
  [
    'a result later than the next message',
    { messages: [user, use, user, { role: 'assistant', content: 'x' }, result] },
    'without `tool_result` blocks',
  ],
  ['a use without a result', { messages: [user, use] }, 'were found without `tool_result` blocks'],
  ['five cache markers', { system: [marked, marked, marked, marked, marked] }, 'A maximum of 4 blocks'],
  ['empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'non-whitespace text'],
  ['a message without content', { messages: [{ role: 'user', content: [] }] }, 'non-empty content'],
  ['a broken signature', assistant({ type: 'thinking', thinking: 'x', signature: 'forged' }), 'Invalid `signature`'],
  ['a marked thought', assistant({ type: 'thinking', thinking: 'x', signature: 'sig-1', cache_control: {} }), 'cannot have cache_control'],
  ['arguments as text', assistant({ type: 'tool_use', id: 't1', name: 'one', input: '{}' }), 'valid dictionary'],
  ['a foreign id', assistant({ type: 'tool_use', id: 'a|b', name: 'one', input: {} }), 'match pattern'],
  ['a tool without a schema', { tools: [{ name: 'one', input_schema: {} }] }, 'input_schema.type'],
  ['a budget beyond the limit', { thinking: { type: 'enabled', budget_tokens: 2000 } }, 'must be greater than `thinking.budget_tokens`'],
  ['a small budget', { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 100 } }, 'greater than or equal to 1024'],
  ['a temperature beside thinking', { thinking: { type: 'adaptive' }, temperature: 0 }, 'may only be set to 1'],
])('%s is refused', async (_title, more, problem) => {
  const { status, body } = await post(more)
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.stringContaining(problem) },
  })
})

test('a missing version, a wrong key and an unknown model have their own answer', async () => {
  expect(await post({}, {})).toMatchObject({ status: 400, body: expect.stringContaining('anthropic-version') })
  expect(await post({}, { ...version, 'x-api-key': 'wrong' })).toMatchObject({
    status: 401,
    body: expect.stringContaining('authentication_error'),
  })
  expect(await post({ model: 'none' })).toMatchObject({ status: 404, body: expect.stringContaining('not_found_error') })
})

test('a sound conversation with four markers is answered', async () => {
  const { status, body } = await post({ messages: [user, use, result], system: [marked, marked, marked, marked] })
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ role: 'assistant', stop_reason: 'end_turn' })
})
