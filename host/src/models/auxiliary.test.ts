import type { ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { Spent } from '#store/usage.ts'
import { type AuxiliaryAsk, type AuxiliaryOptions, type AuxiliaryTask, createAuxiliary } from './auxiliary.ts'
import { type Book, createBook, createTrialBook } from './book.ts'
import type { Models } from './open.ts'
import { priceListOf } from './testing/price-list-of.ts'

const usage = { input: 5, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const signal = new AbortController().signal
const ask: AuxiliaryAsk = { task: 'vision', request: { system: 's', messages: [], tools: [] }, signal, seconds: 30 }

interface Scene {
  readonly task?: AuxiliaryTask
  readonly chain?: ReturnType<AuxiliaryOptions['chain']>
  /** Models that answer with an error, by provider. */
  readonly broken?: readonly string[]
  /** Their services do not know these fields. */
  readonly refused?: readonly ('temperature' | 'maxOutputTokens')[]
  /** What the settings choose for a conversation; absent: nothing can be chosen. */
  readonly main?: string
  readonly book?: Book
}

function scene({ task = {}, chain = [], broken = [], refused = [], main, book }: Scene) {
  const opened: unknown[] = []
  const requests: ModelRequest[] = []
  const spent: Spent[] = []
  const clock = createFakeClock()
  const model: Models['model'] = async (choice) => {
    opened.push(choice)
    if (choice.provider === 'nobody') throw fail('PROVIDER_UNKNOWN', { provider: 'nobody' })
    return {
      provider: choice.provider,
      model: choice.model,
      async *stream(request, call): AsyncIterable<ModelEvent> {
        requests.push(request)
        const stranger = refused.find((field) => request[field] !== undefined)
        if (choice.provider === 'never')
          await new Promise((_done, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
        if (broken.includes(choice.provider))
          yield {
            type: 'failed',
            class: 'auth',
            error: toWireError(fail('ENV_INVALID', { name: `${choice.provider}_KEY`, problem: 'was refused' })),
          }
        else if (stranger)
          yield {
            ...{ type: 'failed', class: 'format_error' },
            error: toWireError(fail('MODEL_FORMAT_ERROR', { provider: 'far', detail: `Unsupported parameter: ${stranger}` })),
          }
        else
          yield* [
            { type: 'text', delta: 'It is ' } as const,
            { type: 'text', delta: choice.model } as const,
            { type: 'end', reason: 'stop', usage } as const,
          ]
      },
    }
  }
  const run = createAuxiliary({
    models: { model },
    tasks: () => ({ vision: task }),
    choose: (wish) => {
      const provider = wish.provider || main
      if (provider === undefined) throw fail('NO_PROVIDER')
      return { provider, model: wish.model || 'usual', implicit: false }
    },
    chain: () => chain,
    book: book ?? createTrialBook({ usage: { add: async (rows) => void spent.push(...rows) }, log: silentLog }),
    clock,
    log: silentLog,
  })
  return { run, opened, requests, spent, clock }
}

test.each(['', 'auto', 'main'])(
  'provider "%s" means the model of the conversation, and what it took counts for the task',
  async (provider) => {
    const { run, opened, requests, spent } = scene({ task: { provider }, main: 'far' })
    expect(await run(ask)).toBe('It is usual')
    expect(opened).toEqual([{ provider: 'far', model: 'usual' }])
    expect(requests).toMatchObject([{ system: 's', model: 'usual', session: expect.stringMatching(/^ses_/) }])
    expect(spent).toEqual([{ session: '', source: 'vision', person: '', provider: 'far', model: 'usual', usage, calls: 1 }])
  },
)

test('a named model is asked first, then the one of the conversation, then those that stand in, each once', async () => {
  const chain = [
    { provider: 'far', model: 'usual' },
    { provider: 'last', model: 'small', base_url: 'http://127.0.0.1:9/v1', api_key: 'k' },
  ]
  const { run, opened } = scene({ task: { provider: 'eyes', model: 'sharp' }, chain, main: 'far', broken: ['eyes', 'far'] })
  expect(await run(ask)).toBe('It is small')
  expect(opened).toMatchObject([
    { provider: 'eyes', model: 'sharp' },
    { provider: 'far', model: 'usual' },
    { provider: 'last', model: 'small', settings: { provider: 'last', base_url: 'http://127.0.0.1:9/v1', api_key: 'k' } },
  ])
})

test.each<[string, AuxiliaryTask, unknown]>([
  [
    'an address alone is a server without a name',
    { model: 'm', base_url: 'http://a.example/v1' },
    { provider: 'custom', model: 'm', settings: { provider: 'custom', base_url: 'http://a.example/v1', api_key: undefined } },
  ],
  [
    'an address of a provider takes the key that was given',
    { provider: 'eyes', model: 'm', base_url: 'http://a.example/v1', api_key: 'k' },
    { provider: 'eyes', model: 'm', settings: { provider: 'eyes', base_url: 'http://a.example/v1', api_key: 'k' } },
  ],
  [
    'a key alone goes to the provider of the conversation',
    { api_key: 'k' },
    { provider: 'far', model: 'usual', settings: { provider: 'far', base_url: undefined, api_key: 'k' } },
  ],
])('%s', async (_name, task, choice) => {
  const { run, opened } = scene({ task, main: 'far' })
  await run(ask)
  expect(opened).toMatchObject([choice])
})

test('an address without a model, a provider that nobody knows and a model that does not fit are passed over', async () => {
  const nameless = scene({ task: { base_url: 'http://a.example/v1' }, main: 'far' })
  expect(await nameless.run(ask)).toBe('It is usual')
  const unknown = scene({ task: { provider: 'nobody', model: 'm' }, main: 'far' })
  expect(await unknown.run(ask)).toBe('It is usual')
  const blind = scene({ main: 'far', chain: [{ provider: 'eyes', model: 'sharp' }] })
  expect(await blind.run({ ...ask, fits: async ({ provider }) => provider === 'eyes' })).toBe('It is sharp')
  expect(blind.requests).toHaveLength(1)
})

test('where none answers the error of the first is told, and NO_PROVIDER where none was asked', async () => {
  const chain = [{ provider: 'last', model: 'small' }]
  await expect(scene({ main: 'far', chain, broken: ['far', 'last'] }).run(ask)).rejects.toMatchObject({ params: { name: 'far_KEY' } })
  await expect(scene({}).run(ask)).rejects.toMatchObject({ code: 'NO_PROVIDER' })
  await expect(scene({ main: 'far' }).run({ ...ask, fits: async () => false })).rejects.toMatchObject({ code: 'NO_PROVIDER' })
})

test.each<[AuxiliaryTask, number]>([
  [{}, 30],
  [{ timeout: 7 }, 7],
])('a task with the settings %j ends after %d s, and nobody else is asked', async (task, seconds) => {
  const { run, clock, opened } = scene({ task, main: 'never', chain: [{ provider: 'last', model: 'small' }] })
  const ended = run(ask).catch((error: unknown) => error)
  await expect.poll(() => opened.length).toBe(1)
  await clock.advance(seconds * 1000 - 1)
  expect(clock.sleeping()).toBe(1)
  await clock.advance(1)
  expect(await ended).toMatchObject({ code: 'TIMED_OUT', params: { what: 'The model for vision' } })
  expect(opened).toHaveLength(1)
})

test('who gives up is heard, and nobody else is asked', async () => {
  const controller = new AbortController()
  const { run, opened } = scene({ main: 'never', chain: [{ provider: 'last', model: 'small' }] })
  const ended = run({ ...ask, signal: controller.signal }).catch((error: unknown) => error)
  await expect.poll(() => opened.length).toBe(1)
  controller.abort(fail('INTERRUPTED'))
  expect(await ended).toMatchObject({ code: 'INTERRUPTED' })
  expect(opened).toHaveLength(1)
})

test('a task stays within a budget too: what would go beyond it is not asked, and one that costs nothing is', async () => {
  await using place = await createTemporaryStore()
  const { usage: ledger } = await place.open()
  const prices = priceListOf([
    { provider: 'far', model: 'usual', input: 10, output: 100 },
    { provider: 'last', model: 'small', input: 0, output: 0 },
  ])
  const bookOf = (money: number) =>
    createBook({ usage: ledger, prices, budgets: () => [{ money, per: 'day' }], clock: place.clock, log: silentLog })
  const poor = scene({ main: 'far', book: bookOf(0.01) })
  await expect(poor.run(ask)).rejects.toMatchObject({ code: 'BUDGET_SPENT', params: { budget: '$0.01 a day' } })
  expect(poor.requests).toEqual([])
  const helped = scene({ main: 'far', chain: [{ provider: 'last', model: 'small' }], book: bookOf(0.01) })
  expect(await helped.run(ask)).toBe('It is small')
  const rich = scene({ main: 'far', book: bookOf(1) })
  expect(await rich.run(ask)).toBe('It is usual')
  // Its answer has as many tokens as a quarter of the budget pays for.
  expect(rich.requests[0]?.maxOutputTokens).toBeGreaterThan(4096)
  expect((await ledger.since('')).map(({ source, provider }) => `${source} ${provider}`)).toEqual(['vision far', 'vision last'])
  const refused = scene({ main: 'far', broken: ['far'], book: bookOf(0.42) })
  for (let time = 0; time < 3; time++) await expect(refused.run(ask)).rejects.toMatchObject({ params: { name: 'far_KEY' } })
})

test('what a task takes counts for the conversation and the job that it is for, also where only the call of a plugin is named', async () => {
  const spent: Spent[] = []
  const book = createTrialBook({ usage: { add: async (rows) => void spent.push(...rows) }, log: silentLog })
  const { run } = scene({ main: 'far', book })
  const served = { session: 'ses_a', job: 'job_a' }
  await run({ ...ask, served })
  await book.served.during({ id: 'call_1' }, served, () => run({ ...ask, call: { id: 'call_1' } }))
  await run({ ...ask, call: { id: 'call_1' } })
  expect(spent.map(({ session, job, source }) => [session, job, source])).toEqual([
    ['ses_a', 'job_a', 'vision'],
    ['ses_a', 'job_a', 'vision'],
    ['', undefined, 'vision'],
  ])
})

test('what the service refuses to be told is left out, and the same model does the task', async () => {
  const { run, opened, requests } = scene({ main: 'far', refused: ['temperature', 'maxOutputTokens'] })
  const asked = { ...ask, request: { ...ask.request, temperature: 0, maxOutputTokens: 100, reasoning: 'none' as const } }
  expect(await run(asked)).toBe('It is usual')
  expect(opened).toHaveLength(1)
  expect(requests.map(({ temperature, maxOutputTokens, reasoning }) => [temperature, maxOutputTokens, reasoning])).toEqual([
    [0, 100, 'none'],
    [undefined, 100, 'none'],
    [undefined, undefined, 'none'],
  ])
})
