import type { ModelErrorClass, ModelEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { callEvent, end, hello, last, text, world } from './testing/turn-world.ts'

const failed = (kind: ModelErrorClass, code: string, retryAfterMs?: number): ModelEvent => ({
  type: 'failed',
  class: kind,
  error: { code, params: { provider: 'script', detail: 'no' }, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
})
const chain = [
  { provider: 'near', model: 'one' },
  { provider: 'near', model: 'two' },
]
const told = (events: readonly { type: string }[], kind: string) =>
  events.filter(
    (event): event is { type: 'status'; kind: string; text: string } => event.type === 'status' && 'kind' in event && event.kind === kind,
  )

test('where the chosen model cannot answer the next of the chain does, and says so', async () => {
  const { run, asked, commits } = world([[failed('auth', 'MODEL_AUTH')], [text('Hello.'), end()]], [], { chain })
  const events = await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'one'])
  expect(told(events, 'fallback').map((event) => event.text)).toEqual([expect.stringMatching(/refused.*near\/one answers instead\.$/s)])
  expect(last(events)).toMatchObject({ text: 'Hello.', status: 'complete' })
  expect(JSON.stringify(commits)).not.toContain('answers instead')
})

test('a model is given words for the pictures that it does not take, be it chosen or standing in', async () => {
  const input = [{ type: 'image' as const, url: 'data:image/png;base64,AAAA' }]
  const words = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'words' }] }]
  const hidden: string[] = []
  const shown = world([[failed('auth', 'MODEL_AUTH')], [text('A dot.'), end()]], [], {
    chain,
    hidePictures: async (messages, { provider, model }) => {
      hidden.push(`${provider}/${model}`)
      return provider === 'near' ? words : messages
    },
  })
  await shown.run({ ...hello, input })
  expect(hidden).toEqual(['script/m', 'near/one'])
  expect(shown.asked.map(({ messages }) => JSON.stringify(messages).includes('AAAA'))).toEqual([true, false])
  const described = world([[text('A dot.'), end()]], [], { describeImages: async () => [{ type: 'text', text: 'a dot, it is said' }] })
  await described.run({ ...hello, input })
  expect(described.asked[0]?.messages).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'a dot, it is said' }] }])
})

test('a model is asked as often as ever before another one is, but a busy one is not waited for beyond that', async () => {
  const busy = [failed('overloaded', 'MODEL_OVERLOADED')]
  const { run, asked } = world([busy, busy, busy, busy, [text('Hi.'), end()]], [], { chain })
  await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'm', 'm', 'm', 'one'])
  const alone = world([busy, busy, busy, busy, busy, busy, busy, busy, [text('Hi.'), end()]])
  expect(last(await alone.run())).toMatchObject({ status: 'failed' })
  expect(alone.asked).toHaveLength(8)
})

test('the one that answers instead is asked as often as the first, before the next is', async () => {
  const busy = [failed('overloaded', 'MODEL_OVERLOADED')]
  const { run, asked } = world([busy, busy, busy, busy, busy, busy, busy, busy, [text('Hi.'), end()]], [], { chain })
  await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'm', 'm', 'm', 'one', 'one', 'one', 'one', 'two'])
})

test('three silences and then a limit let the next of the chain answer, and it is named', async () => {
  const silent = [failed('timeout', 'MODEL_TIMEOUT')]
  const { run, asked } = world([silent, silent, silent, [failed('rate_limit', 'MODEL_RATE_LIMIT')], [text('Hi.'), end()]], [], { chain })
  const events = await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'm', 'm', 'm', 'one'])
  expect(told(events, 'retry')).toHaveLength(3)
  expect(told(events, 'fallback')).toMatchObject([{ model: 'near/one', text: expect.stringMatching(/near\/one answers instead\.$/) }])
  expect(last(events)).toMatchObject({ status: 'complete', text: 'Hi.' })
})

test('what is too long for the model that stands in is made shorter for it', async () => {
  const fitted: string[] = []
  const fit = { fit: async ({ model }: { model: { model: string } }) => void fitted.push(model.model), refused: async () => false }
  const { run } = world([[failed('auth', 'MODEL_AUTH')], [text('Hi.'), end()]], [], { chain, fit })
  await run()
  expect(fitted).toEqual(['m', 'one'])
  const again = world([[failed('overloaded', 'MODEL_OVERLOADED')], [text('Hi.'), end()]], [], { chain, fit })
  await again.run()
  expect(fitted).toEqual(['m', 'one', 'm'])
})

test('one after the other is asked, and the last failure ends the turn', async () => {
  const { run, asked } = world(
    [[failed('auth', 'MODEL_AUTH')], [failed('billing', 'MODEL_BILLING')], [failed('model_not_found', 'MODEL_NOT_FOUND')]],
    [],
    { chain },
  )
  const events = await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'one', 'two'])
  expect(last(events)).toMatchObject({ status: 'failed' })
  expect(events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'MODEL_NOT_FOUND' } })
})

test.each(['format_error', 'context_overflow', 'payload_too_large', 'image_too_large'] as const)(
  'a fault of what was asked (%s) goes to no other model',
  async (kind) => {
    const { run, asked } = world([[failed(kind, 'MODEL_FORMAT_ERROR')]], [], { chain })
    expect(last(await run())).toMatchObject({ status: 'failed' })
    expect(asked).toHaveLength(1)
  },
)

test('an interruption asks nobody else', async () => {
  const stop = new AbortController()
  const { run, asked } = world(
    [
      async function* () {
        stop.abort()
        yield failed('unknown', 'INTERRUPTED')
      },
    ],
    [],
    { chain },
  )
  expect(last(await run(hello, stop.signal))).toMatchObject({ status: 'interrupted' })
  expect(asked).toHaveLength(1)
})

test('the other model takes all steps of the turn, and the next turn begins with the chosen one', async () => {
  const call: ModelEvent = { type: 'call', id: 'c1', name: 'echo', args: '{}' }
  const { run, asked } = world(
    [[failed('auth', 'MODEL_AUTH')], [call, end('tool-calls')], [text('Done.'), end()], [text('Hi.'), end()]],
    [],
    { chain },
  )
  await run()
  await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'one', 'one', 'm'])
})

test('what each of them took is told apart, with the conversation, the door and the person', async () => {
  const { run, spent } = world([[failed('auth', 'MODEL_AUTH')], [callEvent('c1'), end('tool-calls')], [text('Done.'), end()]], [], {
    chain,
  })
  await run({ ...hello, person: 'mira' } as typeof hello)
  const session = expect.stringMatching(/^ses_/)
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  expect(spent).toEqual([
    { session, source: 'cli', person: 'mira', provider: 'script', model: 'm', calls: 1, usage: none },
    ...[1, 2].map(() => ({
      session,
      source: 'cli',
      person: 'mira',
      provider: 'near',
      model: 'one',
      calls: 1,
      usage: { ...none, input: 10, output: 5 },
    })),
  ])
})

test('a turn of a door that writes its end down itself is counted too', async () => {
  const { turns, spent } = world([[text('Hi.'), end()]])
  const door = { steps: [], recordStep: async () => undefined, hear: () => undefined }
  const { release } = await turns.take(hello, createCall(new AbortController().signal), door)
  release()
  expect(spent).toMatchObject([{ session: expect.stringMatching(/^ses_/), source: 'cli', calls: 1 }])
})

test('a caller that keeps the conversation itself is counted, and no conversation named', async () => {
  const { run, spent } = world([[text('Hi.'), end()]])
  await run({ ...hello, store: false })
  expect(spent).toMatchObject([{ session: '', source: 'cli', calls: 1 }])
})

test('an answer does not fail with the book-keeping', async () => {
  const { run } = world([[text('Hi.'), end()]], [], {
    ledger: {
      add: () => Promise.reject(new Error('the disk is full')),
      reserve: async () => ({ id: 0, taken: [] }),
      release: async () => undefined,
    },
  })
  expect(last(await run())).toMatchObject({ text: 'Hi.', status: 'complete' })
})

test('a model that said when it answers again is left alone until then', async () => {
  const { run, asked } = world([[failed('rate_limit', 'MODEL_RATE_LIMIT', 3_600_000)], [text('Hi.'), end()], [text('Hi.'), end()]], [], {
    chain,
  })
  await run()
  const events = await run()
  expect(asked.map(({ model }) => model)).toEqual(['m', 'one', 'one'])
  expect(events[0]).toMatchObject({ type: 'message.start', provider: 'near', model: 'one' })
})
