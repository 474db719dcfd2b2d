import { expect, test } from 'vitest'
import { startFakeGemini } from './fake-gemini.ts'
import type { Body } from './fake-vendor.ts'

const model = 'gemini-3-pro-preview'
const user = { role: 'user', parts: [{ text: 'Hello' }] }
const used = (more: Body = { thoughtSignature: 'c2lnLTE=' }) => ({
  role: 'model',
  parts: [{ functionCall: { name: 'one', args: {} }, ...more }],
})
const answered = { role: 'user', parts: [{ functionResponse: { name: 'one', response: { output: 'fine' } } }] }
const tool = (parameters: Body) => ({ tools: [{ functionDeclarations: [{ name: 'one', description: '', parameters }] }] })

async function post(body: Body, name = model, key = 'right') {
  await using server = await startFakeGemini({ key: 'right', models: [model] })
  const response = await fetch(`${server.url}/models/${name}:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify({ contents: [user], ...body }),
  })
  return { status: response.status, body: await response.text() }
}

test.each<[string, Body, string]>([
  ['an unknown field', { model }, 'Unknown name \\"model\\"'],
  ['an unknown setting', { generationConfig: { max_tokens: 1 } }, "at 'generationConfig': Cannot find field"],
  [
    'both ways to limit thoughts',
    { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'low' } } },
    'only set only one',
  ],
  ['no contents', { contents: [] }, 'contents is not specified'],
  ['a model that speaks first', { contents: [used()] }, 'the first content has the role user'],
  ['a strange role', { contents: [user, { ...user, role: 'assistant' }] }, 'use a valid role'],
  ['two contents of one role', { contents: [user, user] }, 'alternate between user and model'],
  ['a content without parts', { contents: [{ role: 'user', parts: [] }] }, 'must not be empty'],
  ['an unknown part', { contents: [{ role: 'user', parts: [{ type: 'text', text: '' }] }] }, 'Unknown name \\"type\\"'],
  ['an id where none is known', { contents: [{ role: 'user', parts: [{ inlineData: { id: '', data: '' } }] }] }, 'Unknown name \\"id\\"'],
  [
    'a result as a text',
    { contents: [user, used(), { role: 'user', parts: [{ functionResponse: { name: 'one', response: 'x' } }] }] },
    'protobuf.Struct',
  ],
  ['a result without a call', { contents: [answered] }, 'immediately after a function call turn'],
  ['a call without a result', { contents: [user, used(), user] }, 'number of function response parts'],
  ['a result of another call', { contents: [user, used({ functionCall: { name: 'two' } }), answered] }, 'does not fit'],
  ['a call without its signature', { contents: [user, used({}), answered] }, 'missing a thought_signature'],
  ['a forged signature', { contents: [user, used({ thoughtSignature: 'x' }), answered] }, 'Corrupted thought signature'],
  ['a keyword of JSON schema', tool({ type: 'object', additionalProperties: false }), 'Unknown name \\"additionalProperties\\"'],
  ['a list of types', tool({ type: ['object'] }), 'type.googleapis.com/Type'],
  ['words beside a choice', tool({ anyOf: [{ type: 'string' }], description: 'x' }), 'must be the only field set'],
  ['numbers to choose from', tool({ type: 'integer', enum: [1] }), 'only allowed for STRING type'],
  ['an unknown format', tool({ type: 'string', format: 'uri' }), "only 'enum' and 'date-time'"],
  ['a list of what', tool({ type: 'array' }), 'items: missing field'],
  ['an object of nothing', tool({ type: 'object', properties: {} }), 'should be non-empty'],
  ['what must be there and is not known', tool({ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }), 'not defined'],
])('%s is refused', async (_title, more, problem) => {
  const { status, body } = await post(more)
  expect(status).toBe(400)
  expect(body).toContain(problem)
})

test('a wrong key and an unknown model have their own answer; a sound conversation is answered', async () => {
  expect((await post({}, model, 'wrong')).status).toBe(401)
  expect(await post({}, 'none')).toMatchObject({ status: 404, body: expect.stringContaining('NOT_FOUND') })
  expect(await post({ contents: [user, used(), answered] })).toMatchObject({
    status: 200,
    body: expect.stringContaining('"finishReason":"STOP"'),
  })
})
