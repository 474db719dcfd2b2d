import type { ModelEvent } from '@agent/plugin-sdk'
import { afterEach, expect, test, vi } from 'vitest'
import { createDeps } from '../testing/model-call.ts'
import type { Sink } from './answer.ts'
import { openMessagesReader } from './anthropic-messages/answer-reader.ts'
import { openChatReader } from './openai-chat/answer-reader.ts'
import type { AnswerReader } from './protocol.ts'

afterEach(() => void vi.restoreAllMocks())

type Open = (sink: Sink, deps: ReturnType<typeof createDeps>) => AnswerReader

function read(open: Open, events: readonly string[]): readonly ModelEvent[] {
  const heard: ModelEvent[] = []
  const reader = open({ ended: false, emit: (event) => void heard.push(event) }, createDeps())
  for (const data of events) reader.read(data)
  return heard
}

const message = (text: string, { index = 0, pad = '' } = {}): string =>
  `{"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"${text}"}${pad}}`
const chunk = (text: string, { more = '', finish = 'null', end = '' } = {}): string =>
  `{"id":"c1","choices":[{"index":0,"delta":{"content":"${text}"${more}},"finish_reason":${finish}}]${end}}`

/** As they stand in JSON. */
const texts = [
  'word',
  ' ',
  ',',
  ':',
  '{',
  '}}',
  '',
  'für',
  ' — ',
  '東京 🗼',
  '\\n',
  'a \\"b\\" c',
  '\\\\',
  '\\\\\\"',
  '\\u00e9',
  '\\ud83d\\ude00',
]
const broken = ['\\x', 'a\tb', '\n', 'a"b', '\\', 'a\\"', '","text":"b', '\\u12']
const named = ['text', 'delta', 'text_delta', 'content', 'id', 'c1', 'type', 'content_block_delta']

/** Every text in each variant of the event, in an order that mixes them. */
function mix(variants: readonly ((text: string) => string)[]): readonly string[] {
  const all = [...texts, ...broken, ...named]
  return all.flatMap((_, shift) => variants.flatMap((write, step) => [write(all[(shift * 7 + step) % all.length] ?? ''), write('word')]))
}

const cases: readonly (readonly [string, Open, readonly ((text: string) => string)[]])[] = [
  [
    'anthropic-messages',
    openMessagesReader,
    [
      message,
      (text) => message(text, { pad: '     ' }),
      (text) => message(text, { index: 1 }),
      (text) => message(text, { pad: ',"more":"word"' }),
      // The same text stands elsewhere too, and it is that one which changes.
      (text) => message('word', { pad: `,"more":"${text}"` }),
      (text) => message(text).replaceAll('":', '": '),
      (text) => message(text).replace('"delta":{"type":"text_delta",', '"delta":{"type":"text_delta","other":"word",'),
      (text) => `{"delta":{"text":"${text}","type":"text_delta"},"type":"content_block_delta"}`,
      (text) => message(text).slice(0, -1),
      (text) => `${message(text)}}`,
      (text) => `{"type":"error","error":{"message":"${text}"}}`,
    ],
  ],
  [
    'openai-chat',
    openChatReader,
    [
      chunk,
      (text) => chunk(text, { end: ',"usage":null' }),
      (text) => chunk(text, { end: ',"obfuscation":"word"' }),
      (text) => chunk('word', { end: `,"obfuscation":"${text}"` }),
      (text) => chunk(text, { more: ',"refusal":"word"' }),
      (text) => chunk(text, { more: ',"reasoning_content":"word"' }),
      (text) => chunk(text).replaceAll('":', '": '),
      (text) => chunk(text).replace('"content":', '"role":"word","content":'),
      (text) => chunk(text).slice(0, -1),
      (text) => chunk(text).replace(']}', '] }'),
      (text) => `{"error":{"message":"${text}"}}`,
    ],
  ],
]

for (const [name, open, variants] of cases) {
  test(`${name}: an event says the same after others as alone`, () => {
    const events = mix(variants)
    const alone = events.map((data) => read(open, [data]))
    expect(alone.flat().length).toBeGreaterThan(events.length / 2)
    expect(read(open, events)).toEqual(alone.flat())
    for (const [data, index] of new Map(events.map((event, at) => [event, at]))) {
      for (const before of variants.flatMap((write) => [write('before'), write('word')])) {
        const [heard, expected] = [read(open, [before, data]), [...read(open, [before]), ...(alone[index] ?? [])]]
        if (JSON.stringify(heard) !== JSON.stringify(expected)) expect(heard, `${data} after ${before}`).toEqual(expected)
      }
    }
  })
}

test.each([
  ['anthropic-messages', openMessagesReader, (text: string) => message(text, { pad: ' '.repeat(text.length) })],
  ['openai-chat', openChatReader, (text: string) => chunk(text)],
] as const)('%s: of a long answer, the first token is parsed', (_name, open, write) => {
  const parse = vi.spyOn(JSON, 'parse')
  const events = Array.from({ length: 1000 }, (_, index) => write(`token ${index}`))
  expect(read(open, events).at(-1)).toEqual({ type: 'text', delta: 'token 999' })
  // The event, and the proof of its form.
  expect(parse).toHaveBeenCalledTimes(2)
})

test('thoughts and arguments of a call are read so too', () => {
  const start = (index: number, block: object) => JSON.stringify({ type: 'content_block_start', index, content_block: block })
  const delta = (index: number, type: string, more: object) =>
    JSON.stringify({ type: 'content_block_delta', index, delta: { type, ...more } })
  const stop = (index: number) => JSON.stringify({ type: 'content_block_stop', index })
  const words = ['{"path": "a', ' b', '\n', 'c"}']
  const events = [
    start(0, { type: 'thinking', thinking: '' }),
    ...words.map((thinking) => delta(0, 'thinking_delta', { thinking })),
    delta(0, 'signature_delta', { signature: 'sig' }),
    stop(0),
    start(1, { type: 'tool_use', id: 't1', name: 'read', input: {} }),
    ...words.map((json) => delta(1, 'input_json_delta', { partial_json: json })),
    stop(1),
  ]
  const parse = vi.spyOn(JSON, 'parse')
  expect(read(openMessagesReader, events)).toEqual([
    ...words.map((thought) => ({ type: 'reasoning', delta: thought })),
    { type: 'opaque', data: { type: 'thinking', thinking: words.join(''), signature: 'sig' } },
    { type: 'call', id: 't1', name: 'read', args: words.join('') },
  ])
  expect(parse.mock.calls.filter(([text]) => text.includes('content_block_delta'))).toHaveLength(5)
})

test('events that differ in more than a text are parsed, and soon nothing is learnt from them', () => {
  const parse = vi.spyOn(JSON, 'parse')
  const events = Array.from({ length: 1000 }, (_, index) => `{"number":${index},${chunk('word').slice(1)}`)
  expect(read(openChatReader, events)).toHaveLength(1000)
  expect(parse.mock.calls.length).toBeLessThan(1040)
})
