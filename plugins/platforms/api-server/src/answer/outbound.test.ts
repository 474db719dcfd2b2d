import type { TurnEvent, Usage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { completeTurn } from './complete-turn.ts'
import { createChunkWriter, type StreamOptions } from './outbound.ts'

const head = { id: 'chatcmpl-1', created: 5, model: 'agent' }
const usage: Usage = { input: 10, output: 4, cacheRead: 3, cacheWrite: 0, reasoning: 2 }
const complete: TurnEvent = { type: 'message.complete', text: '', status: 'complete', stop: 'stop' }
const delta = (text: string): TurnEvent => ({ type: 'message.delta', text })
const toolStart: TurnEvent = { type: 'tool.start', id: 'c1', name: 'terminal', args: {}, preview: 'ls\n-la' }
const toolEnd: TurnEvent = { type: 'tool.complete', id: 'c1', name: 'terminal', ok: true, text: 'x', durationMs: 1 }

function write(events: readonly TurnEvent[], options: Partial<StreamOptions> = {}): string {
  const chunks = createChunkWriter(head, { custom: new Set(), includeUsage: false, showReasoning: false, toolProgress: 'safe', ...options })
  return chunks.start + events.map((event) => chunks.format(event)).join('')
}

/** The data lines of a stream, parsed. */
function parse(stream: string): readonly unknown[] {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => (line === 'data: [DONE]' ? 'DONE' : JSON.parse(line.slice(6))))
}

const chunk = (delta: object, finish: string | null = null): object => ({
  ...head,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

test('an answer is a role, its text, a reason to finish and the end', () => {
  expect(parse(write([delta('a"\n'), delta(''), delta('€'), { type: 'usage', usage, calls: 1 }, complete]))).toEqual([
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'a"\n' }),
    chunk({ content: '€' }),
    chunk({}, 'stop'),
    'DONE',
  ])
})

const other: TurnEvent = { type: 'status', kind: 'fallback', text: 'far is gone.', model: 'near/small' }

test('where another model stands in the answer names it', async () => {
  const models = (parse(write([other, delta('a'), complete])) as { readonly model?: string }[]).map(({ model }) => model)
  expect(models).toEqual(['agent', 'near/small', 'near/small', undefined])
  async function* events() {
    yield* [other, { ...complete, text: 'a' }]
  }
  const reply = await completeTurn(events(), head, { showReasoning: false, custom: new Set() })
  expect(JSON.parse(String(reply.body))).toMatchObject({ model: 'near/small', choices: [{ message: { content: 'a' } }] })
})

test('usage comes last, in a chunk without choices, and only when asked for', () => {
  const stream = parse(write([delta('a'), { type: 'usage', usage, calls: 1 }, complete], { includeUsage: true }))
  expect(stream.slice(-2)).toEqual([
    {
      ...head,
      object: 'chat.completion.chunk',
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 4,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
    'DONE',
  ])
  expect(stream.slice(0, -2).every((line) => (line as { usage: unknown }).usage === null)).toBe(true)
})

test('reasoning is shown only where it is wanted', () => {
  const events: TurnEvent[] = [{ type: 'reasoning.delta', text: 'hm' }, complete]
  expect(parse(write(events))).not.toContainEqual(chunk({ reasoning_content: 'hm' }))
  expect(parse(write(events, { showReasoning: true }))).toContainEqual(chunk({ reasoning_content: 'hm' }))
})

test('tools that ran here are progress, never calls for the client', () => {
  const stream = write([toolStart, toolEnd])
  expect(stream).not.toContain('tool_calls')
  expect(stream.match(/event: agent\.tool\.progress\ndata: /g)).toHaveLength(2)
  const progress = (label: string, status: string): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [],
    tool_progress: { tool: 'terminal', label, toolCallId: 'c1', status },
  })
  expect(parse(stream).slice(1)).toEqual([progress('ls\n-la', 'running'), progress('', 'completed')])
})

test('tool progress can be a comment or nothing; inner tools are never told', () => {
  expect(write([toolStart], { toolProgress: 'comment' })).toMatch(
    /\n\n: agent\.tool\.progress \{"tool":"terminal","label":"ls\\n-la",.*\}\n\n$/,
  )
  expect(parse(write([toolStart], { toolProgress: 'off' }))).toHaveLength(1)
  expect(parse(write([{ ...toolStart, name: '_inner' }]))).toHaveLength(1)
})

test('what is said after a tool is a separate paragraph', () => {
  const texts = (events: TurnEvent[]): string =>
    (parse(write(events)) as { choices?: { delta: { content?: string } }[] }[])
      .map((line) => line.choices?.[0]?.delta.content ?? '')
      .join('')
  expect(texts([delta('Look.'), toolEnd, delta('Done'), delta('!')])).toBe('Look.\n\nDone!')
  expect(texts([toolEnd, delta('Done')])).toBe('Done')
  expect(texts([delta('Look.'), toolEnd, delta('\nDone')])).toBe('Look.\nDone')
})

test('a text that came without deltas is sent whole', () => {
  expect(parse(write([{ ...complete, text: 'all' }]))).toContainEqual(chunk({ content: 'all' }))
})

test.each([
  ['length', 'length', 'length'],
  ['max-iterations', 'stop', 'length'],
  ['complete', 'length', 'length'],
  ['complete', 'content-filter', 'content_filter'],
  ['complete', 'stop', 'stop'],
] as const)('a turn that ended %s/%s finishes with %s', (status, stop, reason) => {
  expect(parse(write([delta('a'), { ...complete, status, stop }]))).toContainEqual(chunk({}, reason))
})

test('a failure is one error line and the end, with nothing after it', () => {
  const error: TurnEvent = {
    type: 'error',
    error: { code: 'MODEL_OVERLOADED', params: { provider: 'p', detail: 'd' } },
    text: 't',
    retryable: true,
  }
  const stream = parse(write([delta('a'), error, { ...complete, status: 'failed' }]))
  expect(stream.slice(-2)).toEqual([
    { error: { message: 'p is overloaded: d. Try again later.', type: 'server_error', param: null, code: 'model_overloaded' } },
    'DONE',
  ])
  expect(stream).toHaveLength(4)
})

test('a turn that was interrupted says so', () => {
  expect(parse(write([delta('a'), { ...complete, status: 'interrupted' }])).at(-2)).toMatchObject({ error: { code: 'interrupted' } })
})
