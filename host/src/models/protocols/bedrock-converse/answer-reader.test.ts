import type { ModelEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { encodeEvent, encodeException, encodeFrame } from '../../../../../test/support/fakes/fake-bedrock-frames.ts'
import { collect, createDeps, createRequest, createTestCall } from '../../testing/model-call.ts'
import { openBedrockConverse } from './bedrock-converse.ts'

const said = (text: string) => encodeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })
const stop = (stopReason: string) => encodeEvent('messageStop', { stopReason })
const usage = { inputTokens: 5, outputTokens: 9, cacheReadInputTokens: 30, cacheWriteInputTokens: 7 }
const counted = { input: 42, output: 9, cacheRead: 30, cacheWrite: 7, reasoning: 0 }
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const failed = (kind: string, code: string, detail: string) => ({
  type: 'failed',
  class: kind,
  error: { code, params: { provider: 'fake', detail } },
})
const call = (index: number, toolUseId: string, inputs: readonly string[], isEnded = true) => [
  encodeEvent('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId, name: 'look' } } }),
  ...inputs.map((input) => encodeEvent('contentBlockDelta', { contentBlockIndex: index, delta: { toolUse: { input } } })),
  ...(isEnded ? [encodeEvent('contentBlockStop', { contentBlockIndex: index })] : []),
]
const thought = (delta: object) => encodeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: delta } })

function read(frames: readonly Uint8Array[], type = 'application/vnd.amazon.eventstream'): Promise<readonly ModelEvent[]> {
  const response = new Response(Buffer.concat(frames), { headers: { 'content-type': type } })
  const deps = createDeps({ protocol: 'bedrock-converse', fetch: async () => response })
  return collect(openBedrockConverse(deps)(createRequest(), createTestCall()))
}

test.each<[string, readonly Uint8Array[], readonly object[]]>([
  [
    'text and what it took',
    [encodeEvent('messageStart', { role: 'assistant' }), said('Hello'), stop('end_turn'), encodeEvent('metadata', { usage })],
    [
      { type: 'text', delta: 'Hello' },
      { type: 'end', reason: 'stop', usage: counted },
    ],
  ],
  [
    'signed thoughts, hidden ones and calls in turns',
    [
      thought({ text: 'I ' }),
      thought({ text: 'look.' }),
      thought({ signature: 'sig' }),
      encodeEvent('contentBlockStop', { contentBlockIndex: 0 }),
      encodeEvent('contentBlockDelta', { contentBlockIndex: 1, delta: { reasoningContent: { redactedContent: 'AAAA' } } }),
      encodeEvent('contentBlockStop', { contentBlockIndex: 1 }),
      ...call(2, 't1', ['{"a"', ':1}']),
      ...call(3, '', []),
      stop('tool_use'),
    ],
    [
      { type: 'reasoning', delta: 'I ' },
      { type: 'reasoning', delta: 'look.' },
      { type: 'opaque', data: { reasoningText: { text: 'I look.', signature: 'sig' } } },
      { type: 'opaque', data: { redactedContent: 'AAAA' } },
      { type: 'call', id: 't1', name: 'look', args: '{"a":1}' },
      { type: 'call', id: 'call_made_1', name: 'look', args: '{}' },
      { type: 'end', reason: 'tool-calls', usage: none },
    ],
  ],
  [
    'a call that the limit cut off',
    [...call(0, 't1', ['{"a"'], false), stop('max_tokens')],
    [
      { type: 'call', id: 't1', name: 'look', args: '{"a"' },
      { type: 'end', reason: 'length', usage: none },
    ],
  ],
  [
    'an answer that a guardrail stopped',
    [said('So'), stop('guardrail_intervened')],
    [
      { type: 'text', delta: 'So' },
      { type: 'end', reason: 'content-filter', usage: none },
    ],
  ],
  [
    'a model that wrote nonsense',
    [stop('malformed_tool_use')],
    [failed('server_error', 'MODEL_SERVER_ERROR', 'the model ended with malformed_tool_use')],
  ],
  [
    'an exception after text',
    [said('So'), encodeException('throttlingException', 'Too many tokens')],
    [{ type: 'text', delta: 'So' }, failed('rate_limit', 'MODEL_RATE_LIMIT', 'Too many tokens')],
  ],
  [
    'a stream that its model broke',
    [encodeException('modelStreamErrorException', 'no')],
    [failed('server_error', 'MODEL_SERVER_ERROR', 'no')],
  ],
  ['a service without room', [encodeException('serviceUnavailableException', 'no')], [failed('overloaded', 'MODEL_OVERLOADED', 'no')]],
  [
    'an error without a body',
    [encodeFrame({ ':message-type': 'error', ':error-code': 'InternalServerException', ':error-message': 'broke' }, {})],
    [failed('server_error', 'MODEL_SERVER_ERROR', 'broke')],
  ],
  [
    'a stream that was cut between frames',
    [said('So')],
    [{ type: 'text', delta: 'So' }, failed('disconnected', 'MODEL_DISCONNECTED', 'the answer stopped in the middle')],
  ],
  [
    'a stream that was cut in a frame',
    [said('So'), said('far').subarray(0, 20)],
    [{ type: 'text', delta: 'So' }, failed('disconnected', 'MODEL_DISCONNECTED', 'the answer stopped in the middle')],
  ],
  [
    'bytes that are no frames',
    [Buffer.from('this is some page of a proxy')],
    [failed('disconnected', 'MODEL_DISCONNECTED', 'a frame of the answer is broken')],
  ],
])('%s is read', async (_title, frames, expected) => {
  expect(await read(frames)).toEqual(expected)
})

test('an answer in one body is no stream', async () => {
  expect(await read([Buffer.from('{}')], 'application/json')).toMatchObject([{ type: 'failed', class: 'unknown' }])
})
