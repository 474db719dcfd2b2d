import type { TurnRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { openModels } from '#models/open.ts'
import { createProvider } from '#models/testing/model-call.ts'
import { silentLog } from '#observe/silent-log.ts'
import { startFakeAnthropic } from '../../../../test/support/fakes/fake-anthropic.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../../../../test/support/fakes/fake-vendor.ts'
import { callEvent, end, hello, last, spec, text, world } from './testing/turn-world.ts'

/** Each protocol that providers speak: its server, a model, its word for the output limit, and where a call's result stands in the next request. */
const protocols = [
  { protocol: 'openai-chat', start: startFakeOpenai, model: 'fake-model', limit: 'length' },
  { protocol: 'openai-chat', start: startFakeOpenai, model: 'fake-model', limit: 'model_length' },
  { protocol: 'openai-responses', start: startFakeOpenai, model: 'gpt-5-fake', limit: 'max_output_tokens' },
  { protocol: 'anthropic-messages', start: startFakeAnthropic, model: 'claude-opus-4-7', limit: 'max_tokens' },
] as const

async function converse(given: (typeof protocols)[number], first: FakeAnswer, request: TurnRequest = hello) {
  const { protocol, start, model } = given
  await using server = await start({ models: [model], answers: [first, { text: 'well' }] })
  const ran: string[] = []
  const models = openModels({
    catalog: { of: () => [createProvider({ id: 'vendor', protocol, baseUrl: server.url, local: true, auth: 'none' })] },
    activator: { entry: <T>() => Promise.reject<T>(new Error('no code here')) },
    context: () => Promise.reject(new Error('no code here')),
    config: { model: {} },
    environment: { get: () => undefined },
    environmentFile: '/home/.env',
    clock: systemClock,
    log: silentLog,
    timeoutMs: 900_000,
    newCallId: () => 'call_made',
  })
  const { run } = world([], ran, { models, choose: () => ({ provider: 'vendor', model, implicit: false }) })
  const events = await run(request)
  return { ran, events, end: last(events), told: server.requests[1] ? JSON.stringify(server.requests[1].body) : '' }
}

test.each(protocols)('$protocol, $limit: a call that the output limit cut off does not run, and the model hears why', async (given) => {
  for (const args of ['{"say":"a', '', '{}']) {
    const { ran, end, told, events } = await converse(given, { calls: [{ id: 'a', name: 'echo', args }], stop: given.limit })
    expect(ran).toEqual([])
    expect(events.flatMap((event) => ('id' in event ? [`${event.type} ${event.id}`] : []))).toEqual(['tool.start a', 'tool.complete a'])
    expect(told.match(/not run: the output limit cut it off/g)).toHaveLength(1)
    expect(end).toMatchObject({ status: 'complete', text: 'well' })
  }
})

test.each(protocols)('$protocol, $limit: a call that was complete before the limit runs once', async (given) => {
  const calls = [
    { id: 'a', name: 'echo', args: '{}' },
    { id: 'b', name: 'echo', args: '{"say":' },
  ]
  const { ran, told } = await converse(given, { calls, stop: given.limit })
  expect(ran).toEqual(['a'])
  expect(told.match(/the output limit cut it off/g)).toHaveLength(1)
  expect(told).not.toContain('same id')
})

test.each(protocols)('$protocol: of two calls with one id one runs, and each has its own result', async (given) => {
  const call = { id: 'a', name: 'echo', args: '{}' }
  const { ran, events, told } = await converse(given, { calls: [call, call] })
  expect(ran).toEqual(['a'])
  expect(told.match(/not run: another call of the same step has the same id/g)).toHaveLength(1)
  expect(told.match(/echo \{\}/g)).toHaveLength(1)
  expect(events.flatMap((event) => (event.type === 'tool.complete' ? [event.id] : [])).sort()).toEqual(['a', 'a_2'])
})

test.each(protocols)('$protocol: of two calls of its tools a caller that wants one at a time gets the first', async (given) => {
  const weather = { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } } as const
  const calls = ['Rome', 'Bonn'].map((city, index) => ({ id: `w${index}`, name: 'weather', args: JSON.stringify({ city }) }))
  const asked = { ...hello, clientTools: [weather] }
  expect((await converse(given, { calls }, asked)).end.calls).toHaveLength(2)
  expect((await converse(given, { calls }, { ...asked, parallelCalls: false })).end.calls).toMatchObject([{ args: '{"city":"Rome"}' }])
})

test.each(protocols)('$protocol: the words end before what the request calls their end, and the usage is whole', async (given) => {
  const said = ['Thought: I ', 'look.\nObs', 'ervation: ', 'made up'] as const
  const { end, events } = await converse(given, { text: said, usage: { output: 17 } }, { ...hello, stop: ['never', '\nObservation:'] })
  expect(end).toMatchObject({ text: 'Thought: I look.', status: 'complete', stop: 'stop' })
  expect(events).toContainEqual(expect.objectContaining({ type: 'usage', usage: expect.objectContaining({ output: 17 }) }))
  const other = await converse(given, { text: ['a\nObs', 'erve'] }, { ...hello, stop: ['\nObservation:'] })
  expect(other.end.text).toBe('a\nObserve')
  expect((await converse(given, { text: 'END' }, { ...hello, stop: ['END'] })).end).toMatchObject({ text: '', status: 'complete' })
})

test('why a call failed is told with its end, and only there where it failed', async () => {
  const error = { code: 'TOOL_FAILED', params: { tool: 'echo', detail: 'no luck' } }
  const outcome = { name: 'echo', ok: false, text: 'no luck' }
  const { run } = world(
    [
      [callEvent('a'), callEvent('b'), end('tool-calls')],
      [text('well'), end()],
    ],
    [],
    {
      toolbox: {
        specs: () => [spec],
        reachable: () => new Set(),
        isReplaySafe: () => false,
        prepare: async ({ id }) => ({
          ...{ ready: false, args: {}, preview: '' },
          done: { outcome: { ...outcome, id, ok: id === 'b' }, durationMs: 3, ...(id === 'a' ? { error } : { data: 7 }) },
        }),
      },
    },
  )
  const complete = (await run()).filter(({ type }) => type === 'tool.complete')
  expect(complete).toEqual([
    { type: 'tool.complete', ...outcome, id: 'a', durationMs: 3, error },
    { type: 'tool.complete', ...outcome, id: 'b', ok: true, durationMs: 3, result: 7 },
  ])
})
