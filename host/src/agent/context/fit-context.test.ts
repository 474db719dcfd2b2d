import type { ModelEvent, ModelRequest, TurnEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { ModelFact } from '#models/catalog/facts.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { callEvent, end, hello, last, text, world } from '../turn/testing/turn-world.ts'
import { cutShort } from './cut-short.ts'
import { createContextFit, type FitOptions } from './fit-context.ts'
import { createWindows } from './window.ts'

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const said = (words: string) => ({ ...hello, input: [{ type: 'text' as const, text: words }], session: { key: 'k' } })
const filling = 'sea '.repeat(3000)
const full = (input: number): ModelEvent => ({ type: 'end', reason: 'stop', usage: { ...usage, input } })

interface Setting {
  readonly fact?: ModelFact
  readonly settings?: Partial<ReturnType<FitOptions['settings']>>
  readonly compress?: FitOptions['engines']['compress']
}

/** What keeps a conversation short by cutting it, and how often it did. */
function fitBy({ fact, settings, compress = async ({ messages, room }) => cutShort(messages, room) }: Setting) {
  const calls: string[] = []
  const options: FitOptions = {
    windows: createWindows({ of: async () => fact }),
    settings: () => ({ ...defaultConfig.compression, ...settings }),
    skills: { list: async () => [], view: async ({ name }) => `How to do ${name}, as of now.` },
    rules: { workspace: '/work', now: () => undefined },
    engines: {
      compress: async (request, signal) => {
        calls.push(request.reason)
        return await compress(request, signal)
      },
    },
    log: silentLog,
  }
  return { calls, fit: createContextFit(options), shortening: options }
}

const notices = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'status' ? [event.text] : []))

test('what the service said about the last request decides, and the shorter conversation is what the next turns hear', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const { calls, ...fitted } = fitBy({ fact: { context: 8000 } })
  const script = [
    [text(`one ${filling}`), full(3900)],
    [text('two'), full(4500)],
    [text('three'), full(900)],
    [text('four'), full(950)],
  ]
  const { run, asked } = world(script, [], { sessions, ...fitted })
  await run(said('first'))
  await run(said('second'))
  const events = await run(said('third'))
  expect(calls).toEqual(['threshold'])
  expect(notices(events)).toEqual([expect.stringMatching(/^This conversation was made shorter: 4,5\d\d tokens became \d+ tokens\.$/)])
  expect(last(events)).toMatchObject({ status: 'complete', text: 'three' })
  await run(said('fourth'))
  expect(calls).toHaveLength(1)
  expect(asked[3]?.messages.slice(0, asked[2]?.messages.length)).toEqual(asked[2]?.messages)
  const session = await sessions.byKey('k')
  const id = session?.id ?? ''
  expect(session).toMatchObject({ messages: 8, context: 955 })
  expect(await sessions.compressions(id)).toBe(1)
  expect((await sessions.history(id)).map(({ role }) => role).join()).toBe(Array(4).fill('user,assistant').join())
  expect(await sessions.heard(id)).toEqual([...(asked[3]?.messages ?? []), { role: 'assistant', parts: [{ type: 'text', text: 'four' }] }])
})

test('a turn that grows while it works is made shorter between its steps, and all of it is stored', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const { calls, ...fitted } = fitBy({ fact: { context: 8000 } })
  const step = (id: string, input: number): readonly ModelEvent[] => [callEvent(id, 'echo', `{"a":"${'x'.repeat(6000)}"}`), full(input)]
  const { run, asked } = world([step('c1', 1000), step('c2', 3000), step('c3', 4400), [text('done'), full(900)]], [], {
    sessions,
    ...fitted,
  })
  const events = await run(said('work'))
  expect(last(events)).toMatchObject({ status: 'complete', text: 'done' })
  expect(calls.length).toBeGreaterThan(0)
  expect(asked[3]?.messages.length).toBeLessThan(7)
  const session = await sessions.byKey('k')
  expect(await sessions.history(session?.id ?? '')).toHaveLength(8)
  expect(session?.messages).toBe(8)
})

const overflow: ModelEvent = {
  type: 'failed',
  class: 'context_overflow',
  error: { code: 'MODEL_CONTEXT_OVERFLOW', params: { provider: 'script', detail: 'maximum context length is 4,000 tokens' } },
}

test('a request that is refused for its length is made shorter and asked once more; what the model takes is known from then on', async () => {
  const { calls, ...fitted } = fitBy({})
  const { run, asked } = world([[text(filling), end()], [overflow], [text('yes'), full(800)], [text('again'), full(900)]], [], {
    ...fitted,
  })
  await run(said('first'))
  const events = await run(said('second'))
  expect(last(events)).toMatchObject({ status: 'complete', text: 'yes' })
  expect(calls).toEqual(['overflow'])
  expect(JSON.stringify(asked[2]?.messages).length).toBeLessThan(JSON.stringify(asked[1]?.messages).length / 3)
  expect(await fitted.shortening.windows.of({ provider: 'script', model: 'm' })).toBe(4000)
})

test('a request that is refused for its size is made shorter and asked once more, which says nothing of what the model takes', async () => {
  const { calls, ...fitted } = fitBy({})
  const large = {
    class: 'payload_too_large',
    error: { code: 'MODEL_PAYLOAD_TOO_LARGE', params: { provider: 'script', detail: '4096' } },
  } as const
  const script = [[text(filling), end()], [{ type: 'failed', ...large } as const], [text('yes'), full(800)]]
  const { run, asked } = world(script, [], fitted)
  await run(said('first'))
  expect(last(await run(said('second')))).toMatchObject({ status: 'complete', text: 'yes' })
  expect(calls).toEqual(['overflow'])
  expect(JSON.stringify(asked[2]?.messages).length).toBeLessThan(JSON.stringify(asked[1]?.messages).length / 3)
  expect(await fitted.shortening.windows.of({ provider: 'script', model: 'm' })).toBe(128_000)
})

test.each([
  ['This model allows 210,000 tokens; prompt is too long: 210000 tokens > 200000 maximum', 200_000],
  ['the request exceeds the available context size (8192 tokens), try increasing it', 8192],
  ['Input is too long.', 90_000],
  ['maximum context length is 3 tokens', 90_000],
  ['maximum context length is 511 tokens', 90_000],
  ['maximum context length is 512 tokens', 512],
  ['maximum context length is 300000 tokens', 90_000],
])('a refusal says what a model takes: %s', async (detail, window) => {
  const windows = createWindows({ of: async () => ({ context: 1_000_000 }) })
  const model = { provider: 'p', model: 'm' }
  await windows.refused(model, 100_000 * (window > 100_000 ? 2 : 1), detail)
  expect(await windows.of(model)).toBe(window)
})

test('where it cannot become short enough there is one attempt and one sentence', async () => {
  const { calls, ...fitted } = fitBy({ fact: { context: 2000 } })
  const system = { skills: async () => [{ name: 's', description: 'd' }] }
  const tools = Array.from({ length: 4 }, (_, at) => ({ name: `t${at}`, description: 'word '.repeat(400), parameters: { type: 'object' } }))
  const script = [
    [text(filling), end()],
    [callEvent('c1'), full(3000)],
    [callEvent('c2'), full(3100)],
    [text('done'), full(3200)],
  ]
  const one = world(script, [], { ...fitted, ...system })
  const big = { ...said('second'), clientTools: tools }
  await one.run(said('first'))
  const events = await one.run(big)
  expect(last(events)).toMatchObject({ status: 'complete', text: 'done' })
  expect(calls).toEqual(['threshold'])
  expect(notices(events)).toEqual([
    expect.stringContaining('although it was made shorter, and script/m should get 1,000 tokens at the most'),
  ])
  const refused = world([[text(filling), end()], [overflow], [overflow]], [], fitBy({}))
  await refused.run(said('first'))
  const failed = await refused.run(said('second'))
  expect(failed.filter(({ type }) => type === 'error')).toMatchObject([{ error: { code: 'MODEL_CONTEXT_OVERFLOW' } }])
  expect(refused.asked).toHaveLength(3)
})

test('where nothing is gained nothing is said, and it is not tried again in the turn', async () => {
  const { calls, ...fitted } = fitBy({ fact: { context: 8000 }, compress: async ({ messages }) => messages })
  const script = [
    [text(filling), full(4500)],
    [callEvent('c1'), full(4600)],
    [callEvent('c2'), full(4700)],
    [text('two'), full(4800)],
  ]
  const { run } = world(script, [], fitted)
  await run(said('first'))
  const events = await run(said('second'))
  expect(last(events)).toMatchObject({ status: 'complete', text: 'two' })
  expect([calls, notices(events)]).toEqual([['threshold'], []])
})

test('a model that refuses twice is not given the conversation a third time', async () => {
  const { calls, ...fitted } = fitBy({ compress: async ({ messages }) => messages.slice(2) })
  const script = [[text(filling), end()], [text(filling), end()], [overflow], [overflow], [text('yes'), end()]]
  const { run, asked } = world(script, [], fitted)
  for (const words of ['first', 'second']) await run(said(words))
  expect(last(await run(said('third')))).toMatchObject({ status: 'failed' })
  expect([calls, asked.length]).toEqual([['overflow'], 4])
})

test('nothing is looked up for a conversation that every model takes', async () => {
  const looked: string[] = []
  const { shortening } = fitBy({})
  const windows = createWindows({
    of: async (_provider, model) => {
      looked.push(model)
      return undefined
    },
  })
  const script = [
    [text('one'), end()],
    [text(filling), end()],
    [text('three'), end()],
  ]
  const { run } = world(script, [], { fit: createContextFit({ ...shortening, windows }) })
  for (const words of ['first', 'second']) await run(said(words))
  expect(looked).toEqual([])
  await run(said('third'))
  expect(looked).toEqual(['m'])
})

test('compression.enabled off leaves everything as it is', async () => {
  const { calls, ...fitted } = fitBy({ fact: { context: 4000 }, settings: { enabled: false } })
  const { run, asked } = world([[text(filling), full(9000)], [overflow]], [], fitted)
  await run(said('first'))
  expect(last(await run(said('second')))).toMatchObject({ status: 'failed' })
  expect([calls, asked.length]).toEqual([[], 2])
})

test('a conversation that its caller keeps is made shorter where it would not fit, and nothing of that is stored', async () => {
  const { calls, ...fitted } = fitBy({ fact: { context: 4000 } })
  const history = (words: number) => [
    { role: 'user' as const, parts: [{ type: 'text' as const, text: 'sea '.repeat(words) }] },
    { role: 'assistant' as const, parts: [{ type: 'text' as const, text: 'yes' }] },
  ]
  const { run, asked, commits } = world(
    [
      [text('one'), end()],
      [text('two'), end()],
    ],
    [],
    fitted,
  )
  await run({ ...hello, history: history(2500) })
  expect(calls).toEqual([])
  await run({ ...hello, history: history(4500) })
  expect(calls).toEqual(['threshold'])
  expect(JSON.stringify(asked[1]?.messages)).toContain('was left out here')
  expect(commits.flatMap(({ compressions = [] }) => compressions)).toEqual([])
})

test('where only a model may write notes and none does, the conversation stays whole and the person is told', async () => {
  const compress = async (): Promise<never> => {
    throw new Error('the model is busy')
  }
  const { calls, ...fitted } = fitBy({ fact: { context: 8000 }, settings: { abort_on_summary_failure: true }, compress })
  const { run, asked } = world(
    [
      [text(filling), full(4500)],
      [callEvent('c1'), full(4600)],
      [text('two'), full(4700)],
    ],
    [],
    fitted,
  )
  await run(said('first'))
  const events = await run(said('second'))
  expect(last(events)).toMatchObject({ status: 'complete', text: 'two' })
  expect(calls).toEqual(['threshold'])
  expect(notices(events)).toEqual(['This conversation could not be made shorter, because no model wrote notes on it: the model is busy'])
  expect(asked[1]?.messages).toHaveLength(3)
})

test('skills that were read are read again, once, as they are now', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const { calls, ...fitted } = fitBy({ fact: { context: 8000 } })
  const view = [callEvent('c1', 'skill_view', '{"name":"boats"}'), end('tool-calls')]
  const script = [view, [text(filling), full(4500)], [text(filling), full(4600)], [text('end'), full(800)]]
  const { run, asked } = world(script, [], { sessions, ...fitted })
  for (const words of ['first', 'second', 'third']) await run(said(words))
  expect(calls).toHaveLength(2)
  const heard = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages)
  for (const request of [asked[2], asked[3]]) expect(heard(request).match(/How to do boats, as of now/g)).toHaveLength(1)
})

test('a compression that is interrupted ends its turn, and the conversation stays whole', async () => {
  await using place = await createTemporaryStore()
  const { sessions } = await place.open()
  const controller = new AbortController()
  const compress: FitOptions['engines']['compress'] = (_request, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      controller.abort()
    })
  const { calls, ...fitted } = fitBy({ fact: { context: 8000 }, compress })
  const { run } = world(
    [
      [text(filling), full(4500)],
      [text('two'), end()],
    ],
    [],
    { sessions, ...fitted },
  )
  await run(said('first'))
  expect(last(await run(said('second'), controller.signal))).toMatchObject({ status: 'interrupted' })
  const id = (await sessions.byKey('k'))?.id ?? ''
  expect([calls, await sessions.compressions(id)]).toEqual([['threshold'], 0])
  expect((await sessions.history(id)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})
