import { readFile } from 'node:fs/promises'
import type { ModelEvent, StopReason, Usage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { collect, createDeps, createRequest, createTestCall } from '../testing/model-call.ts'
import { openAnthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import { openGeminiGenerate } from './gemini-generate/gemini-generate.ts'
import { openOpenaiChat } from './openai-chat/openai-chat.ts'
import { openOpenaiResponses } from './openai-responses/openai-responses.ts'
import type { OpenProtocol } from './protocol.ts'

const text = (delta: string): ModelEvent => ({ type: 'text', delta })
const reasoning = (delta: string): ModelEvent => ({ type: 'reasoning', delta })
const call = (id: string, name: string, args: string): ModelEvent => ({ type: 'call', id, name, args })
const opaque = (data: object): ModelEvent => ({ type: 'opaque', data: { ...data } })
const failed = (kind: Extract<ModelEvent, { type: 'failed' }>['class'], code: string, detail: string): ModelEvent => ({
  type: 'failed',
  class: kind,
  error: { code, params: { provider: 'fake', detail } },
})
const none: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const counted: Usage = { input: 40, output: 9, cacheRead: 32, cacheWrite: 0, reasoning: 4 }
const end = (reason: StopReason, usage: Usage = none): ModelEvent => ({ type: 'end', reason, usage })
const broken = failed('disconnected', 'MODEL_DISCONNECTED', 'the answer stopped in the middle')

const protocols: Record<string, OpenProtocol> = {
  'openai-chat': openOpenaiChat,
  'openai-responses': openOpenaiResponses,
  'anthropic-messages': openAnthropicMessages,
  'gemini-generate': openGeminiGenerate,
}

const fixtures: readonly (readonly [string, readonly ModelEvent[]])[] = [
  ['openai-chat/text-usage', [text('Grüße '), text('aus 東京 🗼\n'), end('stop', counted)]],
  ['openai-chat/reasoning', [reasoning('Let me '), reasoning('see.'), text('Four.'), end('stop')]],
  [
    'openai-chat/reasoning-details',
    [
      reasoning('I '),
      reasoning('look.'),
      opaque({ reasoning_details: [{ type: 'reasoning.text', text: 'I look.', signature: 'sig', index: 0, format: 'f' }] }),
      call('t1', 'look', '{}'),
      end('tool-calls'),
    ],
  ],
  [
    'openai-chat/parallel-calls',
    [call('call_a', 'read_file', '{"path":"a.txt"}'), call('call_b', 'terminal', '{"command":"ls -l"}'), end('tool-calls', counted)],
  ],
  ['openai-chat/calls-same-index', [call('x1', 'one', '{"a":1}'), call('x2', 'two', '{"b":2'), end('tool-calls')]],
  [
    'openai-chat/error-in-stream',
    [text('So '), failed('rate_limit', 'MODEL_RATE_LIMIT', 'Provider returned error: rate limited upstream')],
  ],
  ['openai-chat/cut', [text('So far'), broken]],
  ['openai-chat/after-end', [text('one'), end('stop')]],
  ['openai-chat/crlf', [text('one'), end('length')]],
  ['openai-responses/text-usage', [text('Grüße '), text('aus 東京'), end('stop', counted)]],
  [
    'openai-responses/reasoning-calls',
    [
      reasoning('First.'),
      reasoning('\n\n'),
      reasoning('Then.'),
      opaque({ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'First.' }], encrypted_content: 'enc-xyz' }),
      call('call_a', 'read_file', '{"path":"a"}'),
      call('call_b', 'terminal', '{"command":"ls"}'),
      end('tool-calls', counted),
    ],
  ],
  ['openai-responses/incomplete', [text('So'), end('length', counted)]],
  ['openai-responses/failed', [text('So'), failed('server_error', 'MODEL_SERVER_ERROR', 'The model failed to generate a response')]],
  ['openai-responses/error-in-stream', [failed('rate_limit', 'MODEL_RATE_LIMIT', 'Rate limit reached for requests')]],
  ['openai-responses/cut', [text('So far'), broken]],
  [
    'anthropic-messages/text-usage',
    [text('Grüße '), text('aus 東京'), end('stop', { input: 42, output: 9, cacheRead: 30, cacheWrite: 7, reasoning: 0 })],
  ],
  [
    'anthropic-messages/thinking-calls',
    [
      reasoning('Let me '),
      reasoning('look.'),
      opaque({ type: 'thinking', thinking: 'Let me look.', signature: 'sig-abc' }),
      opaque({ type: 'redacted_thinking', data: 'hidden' }),
      call('toolu_a', 'read_file', '{"path":"a"}'),
      call('toolu_b', 'todo', '{}'),
      end('tool-calls', { ...none, input: 5, output: 30 }),
    ],
  ],
  ['anthropic-messages/broken-arguments', [call('toolu_a', 'read_file', '{"path": "a'), end('length', { ...none, input: 5, output: 30 })]],
  ['anthropic-messages/error-in-stream', [text('So'), failed('overloaded', 'MODEL_OVERLOADED', 'Overloaded')]],
  ['anthropic-messages/cut', [text('So far'), broken]],
  ['gemini-generate/text-usage', [text('Grüße '), text('aus 東京'), end('stop', counted)]],
  [
    'gemini-generate/thoughts-calls',
    [
      reasoning('Let me look.'),
      opaque({ call: 'call_made_1', thoughtSignature: 'c2lnLTE=' }),
      call('call_made_1', 'read_file', '{"path":"a.txt"}'),
      opaque({ call: 'own-7', id: 'own-7' }),
      call('own-7', 'terminal', '{}'),
      end('tool-calls'),
    ],
  ],
  [
    'gemini-generate/blocked',
    [failed('content_policy_blocked', 'MODEL_CONTENT_POLICY_BLOCKED', 'the prompt was blocked: PROHIBITED_CONTENT')],
  ],
  ['gemini-generate/safety', [text('So'), end('content-filter')]],
  [
    'gemini-generate/malformed-call',
    [text('So'), failed('server_error', 'MODEL_SERVER_ERROR', 'MALFORMED_FUNCTION_CALL: Malformed function call: read(')],
  ],
  [
    'gemini-generate/error-in-stream',
    [text('So'), failed('overloaded', 'MODEL_OVERLOADED', 'The model is overloaded. Please try again later')],
  ],
  ['gemini-generate/cut', [text('So far'), broken]],
]

function replay(open: OpenProtocol, chunks: readonly Uint8Array[]): Promise<readonly ModelEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  return collect(open(createDeps({ fetch: async () => response }))(createRequest(), createTestCall()))
}

for (const [name, expected] of fixtures) {
  test(`${name} gives the same events wherever the network cuts it`, async () => {
    const bytes = await readFile(new URL(`./fixtures/${name}.sse`, import.meta.url))
    const open = protocols[name.replace(/\/.*/, '')] as OpenProtocol
    expect(await replay(open, [bytes])).toEqual(expected)
    const whole = JSON.stringify(expected)
    for (const size of [1, 2, 3, 7, 16, 41, 100]) {
      for (let first = 1; first <= size; first += 1) {
        const events = await replay(open, piecesOf(bytes, first, size))
        if (JSON.stringify(events) !== whole) expect(events, `cut after ${first} bytes and ${size} each`).toEqual(expected)
      }
    }
  })
}

/** With every first piece that is no larger than the others, each place is cut: most of them with much, with little and with nothing else in the piece. */
function piecesOf(bytes: Uint8Array, first: number, size: number): readonly Uint8Array[] {
  const pieces = [bytes.subarray(0, first)]
  for (let at = first; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}
