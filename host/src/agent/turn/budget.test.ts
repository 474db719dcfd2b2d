import type { ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { estimateInput } from '#models/tally.ts'
import { priceListOf } from '#models/testing/price-list-of.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { Spent } from '#store/usage.ts'
import { end, hello, last, text, world } from './testing/turn-world.ts'

test('where nobody can answer a spent budget ends the turn in one sentence, before the model is asked', async () => {
  const { run, asked } = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 10, per: 'day' }] })
  const events = await run({ ...hello, canAnswer: false })
  expect(last(events)).toMatchObject({ status: 'failed' })
  expect(events.find(({ type }) => type === 'error')).toMatchObject({
    text: expect.stringMatching(/^The budget of 10 tokens a day is spent: 0 are taken/),
  })
  expect(asked).toEqual([])
})

test.each([
  ['go on', 'complete'],
  ['stop', 'failed'],
])('a person who is there is asked, and "%s" is done', async (answer, status) => {
  const { turns, run, asked } = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 10, per: 'day' }], clock: createFakeClock() })
  const events = await run(hello, undefined, (event) => {
    if (event.type === 'clarify.request') void turns.answer(event.id, answer)
  })
  expect(events.filter(({ type }) => type === 'clarify.request')).toHaveLength(1)
  expect(last(events)).toMatchObject({ status })
  expect(asked).toHaveLength(answer === 'stop' ? 0 : 1)
})

test('who does not answer in time has not allowed it, and is told of the budget', async () => {
  // The clock of this world lets every wait end at once.
  const { run, asked } = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 10, per: 'day' }] })
  const events = await run(hello)
  expect(events.some(({ type }) => type === 'clarify.request')).toBe(true)
  expect(events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'BUDGET_SPENT' } })
  expect(asked).toEqual([])
})

const costly = [
  { provider: 'script', model: 'm', input: 100, output: 100 },
  { provider: 'near', model: 'dear', input: 100, output: 100 },
  { provider: 'near', model: 'free', input: 0, output: 0 },
]
const dear = { provider: 'near', model: 'dear' }
const unpriced = { provider: 'near', model: 'unpriced' }
const free = { provider: 'near', model: 'free' }

test('where nobody can answer and a budget is spent, the first of the chain that still fits into it answers, and is named', async () => {
  const options = { budgets: [{ money: 0.001, per: 'day' }], prices: priceListOf(costly), chain: [dear, unpriced, free] } as const
  const { run, asked, spent } = world([[text('Hi.'), end()]], [], options)
  const events = await run({ ...hello, canAnswer: false })
  expect(last(events)).toMatchObject({ status: 'complete', text: 'Hi.' })
  expect(events).toContainEqual({
    ...{ type: 'status', kind: 'fallback', model: 'near/free' },
    text: expect.stringMatching(/^The budget of \$0\.001 a day is spent: .* near\/free answers instead\.$/),
  })
  expect([asked.map(({ model }) => model), spent.map(({ model }) => model)]).toEqual([['free'], ['free']])
})

test('where none of the chain fits either, the turn ends with the budget of the chosen model; a person who is there is asked first', async () => {
  const options = { budgets: [{ money: 0.001, per: 'day' }], prices: priceListOf(costly), clock: createFakeClock() } as const
  const without = world([[text('Hi.'), end()]], [], { ...options, chain: [dear, unpriced] })
  const events = await without.run({ ...hello, canAnswer: false })
  expect(events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'BUDGET_SPENT' } })
  expect([without.asked, events.some((event) => event.type === 'status' && event.kind === 'fallback')]).toEqual([[], false])
  const there = world([[text('Hi.'), end()]], [], { ...options, chain: [free] })
  await there.run(hello, undefined, (event) => {
    if (event.type === 'clarify.request') void there.turns.answer(event.id, 'go on')
  })
  expect(there.asked.map(({ model }) => model)).toEqual(['m'])
})

test('a book that cannot be kept asks nobody, and ends the turn', async () => {
  const broken = {
    add: async () => undefined,
    release: async () => undefined,
    reserve: () => Promise.reject(new Error('the disk is full')),
  }
  const { run, asked } = world([[text('Hi.'), end()]], [], { budgets: [{ tokens: 10, per: 'day' }], ledger: broken })
  const seen: string[] = []
  await run(hello, undefined, ({ type }) => seen.push(type)).catch(() => [])
  expect(seen).not.toContain('clarify.request')
  expect(asked).toEqual([])
})

async function* breakOff(): AsyncGenerator<never> {
  yield await Promise.reject(new Error('broken'))
}

test('what is booked for a call that ends badly does not stay booked', async () => {
  const { run } = world([() => breakOff(), [text('Hi.'), end()]], [], { budgets: [{ tokens: 6000, per: 'day' }] })
  await run({ ...hello, canAnswer: false }).catch(() => [])
  expect(last(await run({ ...hello, canAnswer: false }))).toMatchObject({ status: 'complete' })
})

test('a call that was interrupted in the middle of its answer is written down with what came of it, as an estimate', async () => {
  const { run, spent } = world([[text('y'.repeat(400))]])
  const controller = new AbortController()
  await run(hello, controller.signal, ({ type }) => type === 'message.delta' && controller.abort())
  expect(spent).toMatchObject([{ calls: 1, estimated: 1, usage: { output: 100 } }])
  expect(spent[0]?.usage.input).toBeGreaterThan(0)
})

test('a person is asked once for a message, however many steps it takes', async () => {
  const call = { type: 'call', id: 'c1', name: 'echo', args: '{}' } as const
  const { turns, run, asked } = world(
    [
      [call, end('tool-calls')],
      [text('Done.'), end()],
    ],
    [],
    { budgets: [{ tokens: 10, per: 'day' }], clock: createFakeClock() },
  )
  const events = await run(hello, undefined, (event) => {
    if (event.type === 'clarify.request') void turns.answer(event.id, 'go on')
  })
  expect([events.filter(({ type }) => type === 'clarify.request').length, asked.length]).toEqual([1, 2])
})

const usage = { input: 90, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

test('a warning is told with the answer', async () => {
  const { run } = world([[text('Hi.'), end()]], [], {
    budgets: [{ tokens: 5000, per: 'day' }],
    ledger: {
      add: async () => undefined,
      reserve: async () => ({ id: 1, taken: [[{ day: '2026-01-01', provider: 'far', model: 'big', usage }]] }),
      release: async () => undefined,
    },
  })
  const events = await run()
  expect(events).toContainEqual({
    type: 'status',
    kind: 'notice',
    text: expect.stringMatching(/^8\d % of the budget of 5,000 tokens a day are taken\.$/),
  })
})

test('of 64 turns at once, and of 64 more after a restart, all together stay within one turn of the budget', async () => {
  await using place = await createTemporaryStore()
  const budget = 20_000
  // Each turn takes what its question has, and the whole answer that it may have.
  const output = 700
  const takes = (request: ModelRequest): ModelEvent => {
    const input = Math.ceil(JSON.stringify([request.system, request.messages, request.tools]).length / 4)
    return { type: 'end', reason: 'stop', usage: { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 } }
  }
  async function* say(request: ModelRequest) {
    yield text('Hi.')
    yield takes(request)
  }
  const taken: number[] = []
  const complete: number[] = []
  for (const start of ['first', 'second']) {
    const store = await place.open()
    const { run } = world(
      Array.from({ length: 64 }, () => say),
      [],
      { budgets: [{ tokens: budget, per: 'day' }], ledger: store.usage, clock: place.clock },
    )
    const ends = await Promise.all(Array.from({ length: 64 }, () => run({ ...hello, canAnswer: false, maxOutputTokens: output })))
    complete.push(ends.filter((events) => last(events).status === 'complete').length)
    for (const events of ends.filter((all) => last(all).status !== 'complete'))
      expect(events.find(({ type }) => type === 'error')).toMatchObject({ error: { code: 'BUDGET_SPENT' } })
    taken.push((await store.usage.since('')).reduce((sum, row) => sum + row.usage.input + row.usage.output, 0))
    process.stdout.write(`${start} start: ${complete.at(-1)} of 64 turns answered, ${taken.at(-1)} of ${budget} tokens taken\n`)
  }
  const turn = (taken[0] ?? 0) / (complete[0] ?? 1)
  expect(complete[0]).toBeGreaterThan(1)
  expect(complete[1]).toBe(0)
  expect(taken[1]).toBeLessThanOrEqual(budget)
  expect(taken[1]).toBeGreaterThan(budget - turn)
})

/** A service that gives an answer as many tokens as the request allows, and no more. */
const giveUpTo = (longest: number) =>
  async function* (request: ModelRequest) {
    yield text('Hi.')
    const output = Math.min(longest, request.maxOutputTokens ?? longest)
    const input = estimateInput(request)
    yield {
      ...{ type: 'end', reason: output < longest ? 'length' : 'stop' },
      usage: { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    } as ModelEvent
  }

test.each([
  ['tokens', { tokens: 20_000, per: 'day' }, 20_000],
  ['tokens, with much left', { tokens: 2_000_000, per: 'day' }, 2_000_000],
  ['money', { money: 0.2, per: 'day' }, 200_000],
] as const)(
  'of 64 turns at once whose answers are many times longer than usual, none takes a budget of %s beyond it',
  async (name, budget, limit) => {
    await using place = await createTemporaryStore()
    const prices = priceListOf([{ provider: 'script', model: 'm', input: 1, output: 10 }])
    const taken: number[] = []
    const cut: number[] = []
    for (let start = 0; start < 2; start++) {
      const { usage: ledger } = await place.open()
      const { run } = world(
        Array.from({ length: 64 }, () => giveUpTo(90_000)),
        [],
        { budgets: [budget], prices, ledger, clock: place.clock },
      )
      const ends = await Promise.all(Array.from({ length: 64 }, () => run({ ...hello, canAnswer: false })))
      cut.push(ends.filter((events) => last(events).status === 'length').length)
      const costs = (await ledger.since('')).map(({ usage: { input, output } }) =>
        'money' in budget ? input + 10 * output : input + output,
      )
      taken.push(costs.reduce((sum, cost) => sum + cost, 0))
    }
    process.stdout.write(`${name}: ${cut.join(' and ')} of 64 long answers, ${taken.join(' and then ')} of ${limit} taken\n`)
    expect([(cut[0] ?? 0) > 0, (taken[0] ?? 0) > limit / 2]).toEqual([true, true])
    expect(Math.max(...taken)).toBeLessThanOrEqual(limit)
  },
)

test('an answer that a budget cut off says so, and one that a person allowed is as long as it is', async () => {
  const long = { budgets: [{ tokens: 6000, per: 'day' }], clock: createFakeClock() } as const
  const cut = world([giveUpTo(9000)], [], long)
  const told = await cut.run({ ...hello, canAnswer: false })
  expect(last(told)).toMatchObject({ status: 'length' })
  expect(told).toContainEqual({ type: 'status', kind: 'notice', text: expect.stringMatching(/^A budget gave this answer 4,\d\d\d tokens/) })
  const { turns, run, asked } = world([giveUpTo(9000)], [], { ...long, budgets: [{ tokens: 10, per: 'day' }] })
  const events = await run(hello, undefined, (event) => {
    if (event.type === 'clarify.request') void turns.answer(event.id, 'go on')
  })
  expect([last(events).status, asked[0]?.maxOutputTokens]).toEqual(['complete', undefined])
})

test('a model that refuses so long an answer is asked for the usual one', async () => {
  const refusal = 'max_tokens is too large: 16384. This model supports at most 4096 completion tokens.'
  const failed: ModelEvent = { type: 'failed', class: 'format_error', error: { code: 'MODEL_FORMAT_ERROR', params: { detail: refusal } } }
  const { run, asked } = world([[failed], [text('Hi.'), end()]], [], { budgets: [{ tokens: 1_000_000, per: 'day' }] })
  expect(last(await run({ ...hello, canAnswer: false }))).toMatchObject({ status: 'complete' })
  expect(asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([16_384, 4096])
})

test('a model that takes no limit is asked without one, and a budget does not claim to have cut its answer', async () => {
  const detail = 'Unsupported parameter: max_output_tokens'
  const failed: ModelEvent = { type: 'failed', class: 'format_error', error: { code: 'MODEL_FORMAT_ERROR', params: { detail } } }
  const full: ModelEvent = { type: 'end', reason: 'length', usage: { ...usage, output: 9000 } }
  const { run, asked } = world([[failed], [text('Hi.'), full]], [], { budgets: [{ tokens: 1_000_000, per: 'day' }] })
  const events = await run({ ...hello, canAnswer: false })
  expect(last(events)).toMatchObject({ status: 'length' })
  expect(asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([16_384, undefined])
  expect(events.filter((event) => event.type === 'status' && event.text.startsWith('A budget gave'))).toEqual([])
})

test('an answer waits until what it took is on disk, and that of a caller who keeps the conversation does not', async () => {
  let write = (): void => undefined
  const written = new Promise<void>((resolve) => (write = resolve))
  const took: string[] = []
  const ledger = {
    add: (rows: readonly Spent[]) => written.then(() => void took.push(...rows.map(({ model }) => model))),
    reserve: async () => ({ id: 0, taken: [] }),
    release: async () => undefined,
  }
  const { run } = world(
    [
      [text('1'), end()],
      [text('2'), end()],
    ],
    [],
    { ledger },
  )
  expect(last(await run({ ...hello, history: [] })).text).toBe('1')
  let isOver = false
  const running = run(hello).finally(() => (isOver = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect([isOver, took]).toEqual([false, []])
  write()
  expect(last(await running).text).toBe('2')
  expect(took).toEqual(['m', 'm'])
})
