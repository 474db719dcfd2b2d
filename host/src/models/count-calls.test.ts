import type { ModelEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createTrialBook } from './book.ts'
import { countCalls } from './count-calls.ts'

const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const events: readonly ModelEvent[] = [
  { type: 'text', delta: 'Yes.' },
  { type: 'end', reason: 'stop', usage },
]
const request = { model: 'big', system: '', messages: [], tools: [], session: 's' } as const
const models = {
  model: async (choice: { provider: string; model: string }) => ({
    ...choice,
    async *stream() {
      yield* events
    },
  }),
}

test('a call that belongs to no turn is written down by what it was for, and answers as before', async () => {
  await using place = await createTemporaryStore()
  const store = await place.open()
  const ask = async (ledger: Pick<typeof store.usage, 'add'>): Promise<readonly ModelEvent[]> => {
    const model = await countCalls(models, { book: createTrialBook({ usage: ledger, log: silentLog }), source: 'try' }).model({
      provider: 'far',
      model: 'big',
    })
    const heard: ModelEvent[] = []
    for await (const event of model.stream(request, createCall(new AbortController().signal))) heard.push(event)
    return heard
  }
  expect(await ask(store.usage)).toEqual(events)
  expect(await store.usage.since('')).toMatchObject([{ session: '', source: 'try', provider: 'far', model: 'big', calls: 1, usage }])
  expect(await ask({ add: () => Promise.reject(new Error('the disk is full')) })).toEqual(events)
})

test.each<[string, readonly ModelEvent[], boolean]>([
  [
    'cut',
    [
      { type: 'text', delta: 'Yes, and' },
      { type: 'failed', class: 'server_error', error: { code: 'MODEL_SERVER_ERROR', params: {} } },
    ],
    false,
  ],
  ['left by its listener', [{ type: 'text', delta: 'Yes, and' }], true],
])('a call that is %s counts by what was sent and received, and is marked', async (_name, said, leaves) => {
  await using place = await createTemporaryStore()
  const { usage: ledger } = await place.open()
  const broken = {
    model: async (choice: { provider: string; model: string }) => ({
      ...choice,
      async *stream() {
        yield* said
      },
    }),
  }
  const model = await countCalls(broken, { book: createTrialBook({ usage: ledger, log: silentLog }), source: 'try' }).model({
    provider: 'far',
    model: 'big',
  })
  for await (const _event of model.stream(request, createCall(new AbortController().signal))) if (leaves) break
  const [row, ...others] = await ledger.since('')
  expect([row, others]).toMatchObject([{ calls: 1, estimated: 1, usage: { output: 2 } }, []])
  expect(row?.usage.input).toBeGreaterThan(0)
})
