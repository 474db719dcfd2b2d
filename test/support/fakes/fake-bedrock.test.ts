import { expect, test } from 'vitest'
import { startFakeBedrock } from './fake-bedrock.ts'
import type { Body } from './fake-vendor.ts'

const user = { role: 'user', content: [{ text: 'Hello' }] }
const assistant = (...content: Body[]) => ({ role: 'assistant', content })
const use = assistant({ toolUse: { toolUseId: 't1', name: 'one', input: {} } })
const result = { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: 'fine' }] } }] }
const tool = (spec: Body = {}) => ({ toolSpec: { name: 'one', inputSchema: { json: { type: 'object' } }, ...spec } })
const toolConfig = { tools: [tool()] }
const point = { cachePoint: { type: 'default' } }

async function post(body: Body, model = 'claude', authorization = 'Bearer right') {
  await using server = await startFakeBedrock({ key: 'right', models: ['claude', 'llama'] })
  const response = await fetch(`${server.url}/model/${model}/converse-stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ messages: [user], ...body }),
  })
  return { status: response.status, kind: response.headers.get('x-amzn-errortype'), body: await response.text() }
}

test.each<[string, Body, string]>([
  ['an unknown field', { max_tokens: 1 }, 'extraneous key [max_tokens]'],
  ['an unknown limit', { inferenceConfig: { max_tokens: 1 } }, 'extraneous key [max_tokens]'],
  ['no messages', { messages: [] }, 'must start with a user message'],
  ['an assistant first', { messages: [use] }, 'must start with a user message'],
  ['two messages of one role', { messages: [user, user] }, 'must alternate'],
  ['a message without content', { messages: [{ role: 'user', content: [] }] }, 'is empty'],
  ['blank text', { messages: [{ role: 'user', content: [{ text: ' ' }] }] }, 'is blank'],
  ['a block of another protocol', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, 'extraneous key'],
  [
    'an image of an unknown kind',
    { messages: [{ role: 'user', content: [{ image: { format: 'jpg', source: { bytes: '' } } }] }] },
    'enum value set',
  ],
  [
    'an image by its address',
    { messages: [{ role: 'user', content: [{ image: { format: 'png', source: { url: 'x' } } }] }] },
    'bytes or s3Location',
  ],
  ['a foreign id', { messages: [user, assistant({ toolUse: { toolUseId: 'a|b', name: 'x', input: {} } })] }, 'regular expression'],
  ['arguments as text', { messages: [user, assistant({ toolUse: { toolUseId: 'a', name: 'x', input: '{}' } })] }, 'Provide a json object'],
  [
    'a forged signature',
    { messages: [user, assistant({ reasoningContent: { reasoningText: { text: 'x', signature: 'y' } } })] },
    'Invalid `signature`',
  ],
  ['a result without a use', { messages: [result] }, 'exceeds the number of toolUse'],
  ['a use without a result', { messages: [user, use], toolConfig }, 'Expected toolResult blocks'],
  ['uses without tools', { messages: [user, use, result] }, 'toolConfig field must be defined'],
  ['a list of no tools', { toolConfig: { tools: [] } }, 'greater than or equal to 1'],
  ['a tool without a schema', { toolConfig: { tools: [tool({ inputSchema: { json: {} } })] } }, 'must be one of the following: object'],
  ['an empty description', { toolConfig: { tools: [tool({ description: '' })] } }, 'greater than or equal to 1'],
  ['a choice that does not exist', { toolConfig: { ...toolConfig, toolChoice: { none: {} } } }, 'exactly one of'],
  ['five points of the cache', { system: [point, point, point, point, point] }, 'A maximum of 4'],
  [
    'a temperature beside thinking',
    { additionalModelRequestFields: { thinking: {} }, inferenceConfig: { temperature: 0 } },
    'may only be set to 1',
  ],
  [
    'a budget beyond the limit',
    { additionalModelRequestFields: { thinking: { budget_tokens: 9 } }, inferenceConfig: { maxTokens: 9 } },
    'must be greater than',
  ],
])('%s is refused', async (_title, more, problem) => {
  const { status, kind, body } = await post(more)
  expect([status, kind]).toEqual([400, expect.stringMatching(/^ValidationException:/)])
  expect(body).toContain(problem)
})

test('points of the cache are refused by a model that keeps nothing, and an unknown model by all', async () => {
  expect(await post({ system: [{ text: 'x' }, point] }, 'llama')).toMatchObject({
    status: 400,
    body: expect.stringContaining('unsupported model'),
  })
  expect(await post({}, 'none')).toMatchObject({ status: 400, body: expect.stringContaining('identifier is invalid') })
})

test('a wrong key and a forged or partial signature are refused, a sound conversation is answered', async () => {
  const forged = (scope: string, signed = 'host;x-amz-date') =>
    `AWS4-HMAC-SHA256 Credential=AKID/${scope}/aws4_request, SignedHeaders=${signed}, Signature=${'0'.repeat(64)}`
  for (const header of [
    'Bearer wrong',
    '',
    forged('20260101/us-east-1/bedrock'),
    forged('20260101/us-east-1/s3'),
    forged('20260101/us-east-1/bedrock', 'host'),
  ]) {
    expect(await post({}, 'claude', header)).toMatchObject({ status: 403, kind: expect.stringContaining('InvalidSignatureException') })
  }
  expect((await post({ messages: [user, use, result], toolConfig })).status).toBe(200)
})
