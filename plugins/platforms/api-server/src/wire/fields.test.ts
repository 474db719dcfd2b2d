import type { TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { ended, greeting, jsonOf, openDoor, play, started } from '../../test/test-door.ts'

const paths = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'x' }] } },
  responses: { path: '/v1/responses', body: { input: 'x' } },
  runs: { path: '/v1/runs', body: { input: 'x' } },
} as const

function send(kind: keyof typeof paths, fields: object) {
  const heard: TurnRequest[] = []
  const { path, body } = paths[kind]
  const { ask } = openDoor((turn) => {
    heard.push(turn)
    return play(greeting)
  })
  return ask({ path, body: { ...body, ...fields } }).then((reply) => ({ reply, heard }))
}

const refused = [
  ['chat', 'n', 2],
  ['chat', 'logprobs', true],
  ['chat', 'top_logprobs', 3],
  ['chat', 'modalities', ['text', 'audio']],
  ['chat', 'audio', { voice: 'alloy', format: 'mp3' }],
  ['chat', 'functions', [{ name: 'f' }]],
  ['chat', 'function_call', { name: 'f' }],
  ['chat', 'stop', 5],
  ['chat', 'stop', ''],
  ['chat', 'stop', Array(17).fill('x')],
  ['chat', 'parallel_tool_calls', 'no'],
  ['responses', 'background', true],
  ['responses', 'prompt', { id: 'pmpt_1' }],
  ['responses', 'top_logprobs', 1],
  ['responses', 'include', ['message.output_text.logprobs']],
  ['runs', 'prompt', { id: 'pmpt_1' }],
  ['runs', 'stream', true],
] as const

test.each(refused)('%s: `%s` of %j is refused by its name, and no turn begins', async (kind, name, value) => {
  const { reply, heard } = await send(kind, { [name]: value })
  expect(reply.status).toBe(400)
  expect(await jsonOf(reply)).toMatchObject({
    error: { type: 'invalid_request_error', param: expect.stringMatching(new RegExp(`^${name}`)), message: expect.stringContaining(name) },
  })
  expect(heard).toEqual([])
})

test.each([
  ['chat', { n: 1, logprobs: false, top_logprobs: 0, modalities: ['text'], audio: null, functions: [], function_call: 'auto' }],
  ['responses', { background: false, prompt: null, top_logprobs: 0 }],
  ['runs', { stream: false }],
] as const)('%s: fields that ask for nothing are no fault', async (kind, fields) => {
  const { reply } = await send(kind, fields)
  expect([200, 202]).toContain(reply.status)
  expect(reply.headers?.['x-agent-ignored']).toBeUndefined()
})

test.each(['chat', 'responses', 'runs'] as const)('%s: an answer names the fields that had no effect', async (kind) => {
  const { reply } = await send(kind, { seed: 7, top_p: 0.5, user: 'me', service_tier: 'flex', temprature: 1, absent: null, 'no\nname': 1 })
  expect(reply.headers?.['x-agent-ignored']).toBe('seed, top_p, user, service_tier, temprature')
})

test('what may be included besides has no effect, and is named', async () => {
  const { reply } = await send('responses', { include: ['reasoning.encrypted_content'] })
  expect([reply.status, reply.headers?.['x-agent-ignored']]).toEqual([200, 'include'])
})

test('a stream names them too', async () => {
  const { reply } = await send('chat', { stream: true, stream_options: { include_usage: true }, seed: 7 })
  expect(reply.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-agent-ignored': 'seed' })
})

test('the end of the words and one call at a time are asked of the turn', async () => {
  expect((await send('chat', { stop: 'END', parallel_tool_calls: false })).heard).toMatchObject([{ stop: ['END'], parallelCalls: false }])
  expect((await send('chat', { stop: ['a', 'b'], parallel_tool_calls: true })).heard).toMatchObject([{ stop: ['a', 'b'] }])
  const { reply, heard } = await send('responses', { parallel_tool_calls: false })
  expect(heard).toMatchObject([{ parallelCalls: false }])
  expect(await jsonOf(reply)).toMatchObject({ parallel_tool_calls: false, background: false })
})

test.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }, 'response_format', 'messages'],
  ['/v1/responses', { input: 'x' }, 'text.format', 'input'],
])('%s: what the agent refuses is named as the client calls it, in a stream too', async (path, body, format, results) => {
  const refusals = { RESPONSE_FORMAT: { problem: 'p' }, RESULT_UNCLAIMED: { call: 'c' } }
  for (const [code, param] of [
    ['RESPONSE_FORMAT', format],
    ['RESULT_UNCLAIMED', results],
  ] as const) {
    const { ask } = openDoor(async function* () {
      yield* []
      throw fail(code, refusals[code] as never)
    })
    for (const stream of path.endsWith('responses') ? [false] : [false, true]) {
      const reply = await ask({ path, body: { ...body, stream } })
      expect([reply.status, await jsonOf(reply)]).toMatchObject([400, { error: { param, code: code.toLowerCase() } }])
    }
  }
})

test.each([
  [{ temperature: 3 }, 'temperature: must not be over 2.'],
  [{ max_tokens: 0 }, 'max_tokens: must not be under 1.'],
  [{ max_tokens: 1.5 }, 'max_tokens: must be of type integer.'],
  [{ stop: 5 }, 'stop: must be of type string or must be of type array.'],
  [{ tools: [{ type: 'function', function: { parameters: 'x' } }] }, 'tools.0.function.parameters: must be of type object.'],
  [{ tool_choice: 'maybe' }, 'tool_choice: must be one of auto, none, required or must be of type object.'],
])('%j is refused in words that say what would do', async (fields, message) => {
  expect(await jsonOf((await send('chat', fields)).reply)).toMatchObject({ error: { message } })
})

test('a kept response is not told again as a stream', async () => {
  const { ask, get } = openDoor()
  const { id } = (await jsonOf(await ask({ path: '/v1/responses', body: { input: 'x' } }))) as { id: string }
  expect((await get(`/v1/responses/${id}?include=x`)).status).toBe(200)
  const refused = await get(`/v1/responses/${id}?stream=true`)
  expect([refused.status, await jsonOf(refused)]).toMatchObject([400, { error: { param: 'stream' } }])
})

test('a tool that takes text is called with text, one that takes an object is not', async () => {
  const calls = ['patch', 'show'].map((name, index) => ({ id: `c${index}`, name, args: '{"input":"x"}' }))
  const { ask } = openDoor(() => play([started, { type: 'message.complete', text: '', status: 'complete', stop: 'tool-calls', calls }]))
  const tools = [
    { type: 'custom', custom: { name: 'patch' } },
    { type: 'function', function: { name: 'show' } },
  ]
  expect(await jsonOf(await ask({ body: { ...paths.chat.body, tools } }))).toMatchObject({
    choices: [
      {
        message: {
          tool_calls: [
            { id: 'c0', custom: { name: 'patch', input: 'x' } },
            { id: 'c1', function: { name: 'show', arguments: '{"input":"x"}' } },
          ],
        },
      },
    ],
  })
})

test('an overlong conversation has the code by which clients know it', async () => {
  const error = { code: 'MODEL_CONTEXT_OVERFLOW', params: { provider: 'p', detail: 'd' } } as const
  const { ask } = openDoor(() => play([started, { type: 'error', error, text: 't', retryable: false }, ended('', 'failed')]))
  expect(await jsonOf(await ask())).toMatchObject({ error: { code: 'context_length_exceeded' } })
})
