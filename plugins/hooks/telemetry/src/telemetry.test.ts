import type { Context, HookEvents, HookName, OpenHooks } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type Collector, openCollector } from '../test/collector.ts'
import { modelEnd, toolEnd, turnEnd } from '../test/events.ts'
import { config } from './config.ts'
import { parseHeaders } from './exporter.ts'
import hooks from './hooks.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function open(settings: (collector: Collector) => object, headers?: string) {
  const collector = await openCollector()
  closers.push(() => collector[Symbol.asyncDispose]())
  const clock = createFakeClock()
  const lines: string[] = []
  const note = (line: string): void => void lines.push(line)
  const disposers: (() => unknown)[] = []
  const context = {
    about: { agentVersion: '1.2.3' },
    config: config.parse(settings(collector)),
    log: { debug: note, info: note, warn: note, error: note },
    clock,
    secrets: { find: async () => headers },
    fetch: (url: string, init?: RequestInit) => fetch(url, init),
    effect: (disposer: () => unknown) => void disposers.push(disposer),
  } as unknown as Context<never>
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
  const opened: OpenHooks = await hooks.open(context, call)
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    for (const disposer of disposers.reverse()) await disposer()
  }
  closers.push(close)
  const tell = async <Name extends HookName>(name: Name, event: HookEvents[Name]): Promise<void> =>
    void (await opened.hooks[name]?.(event as never, call))
  return { collector, clock, lines, tell, close }
}

const attributesOf = ({ attributes }: { readonly attributes: readonly { readonly key: string; readonly value: object }[] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

test('a turn is one trace: its calls of models and tools are parts of it', async () => {
  const { collector, clock, tell } = await open(({ url }) => ({ endpoint: `${url}/` }), 'Authorization=Bearer%20word, x-key=1')
  await tell('model.end', modelEnd)
  await tell('tool.end', toolEnd)
  await tell('turn.end', turnEnd)
  await tell('model.end', { ...modelEnd, turn: 'trn_2', error: 'MODEL_RATE_LIMIT', firstTokenMs: null })
  await clock.advance(15_000)
  await expect.poll(() => collector.metrics.length).toBeGreaterThan(0)
  expect(collector.complaints).toEqual([])
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer word', 'x-key': '1' })
  const [model, tool, turn, failed] = collector.spans
  expect(collector.spans.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    ...['3 chat claude', '1 execute_tool terminal', '1 invoke_agent agent', '3 chat claude'],
  ])
  expect([model?.traceId, tool?.traceId]).toEqual([turn?.traceId, turn?.traceId])
  expect([model?.parentSpanId, tool?.parentSpanId, turn?.parentSpanId]).toEqual([turn?.spanId, turn?.spanId, undefined])
  expect(failed?.traceId).not.toBe(turn?.traceId)
  expect(failed?.status).toEqual({ code: 2, message: 'MODEL_RATE_LIMIT' })
  expect(Number(model?.endTimeUnixNano) - Number(model?.startTimeUnixNano)).toBeCloseTo(1.5e9, -4)
  expect(model && attributesOf(model)).toMatchObject({
    ...{ 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'claude', 'gen_ai.conversation.id': 'ses_1' },
    ...{ 'gen_ai.usage.input_tokens': '120', 'gen_ai.usage.output_tokens': '30', 'gen_ai.response.time_to_first_chunk': 0.3 },
  })
})

test.each([
  ['gzip', {}],
  [undefined, { compression: 'none' }],
])('what is sent is packed (%s) unless that is not wanted', async (encoding, settings) => {
  const { collector, tell, close } = await open(({ url }) => ({ endpoint: url, ...settings }))
  await tell('turn.end', turnEnd)
  await close()
  expect(collector.headers.map((each) => each['content-encoding'])).toEqual([encoding, encoding])
  expect([collector.spans.length, collector.metrics.length, collector.complaints]).toEqual([1, 1, []])
})

test('measurements add up, one series for each model, tool and error', async () => {
  const { collector, tell, close } = await open(({ url }) => ({ endpoint: url }))
  for (const durationMs of [9, 100, 90_000]) await tell('model.end', { ...modelEnd, durationMs })
  await tell('tool.end', { ...toolEnd, ok: false })
  await tell('tool.end', { ...toolEnd, ok: false, error: 'TIMED_OUT' })
  await tell('turn.end', turnEnd)
  await close()
  expect(collector.complaints).toEqual([])
  const points = (name: string) => collector.metrics.find((each) => each.name === name)?.histogram.dataPoints ?? []
  expect(points('gen_ai.client.operation.duration')).toMatchObject([
    { count: '3', sum: 90.109, bucketCounts: ['1', '0', '0', '0', '1', ...new Array(9).fill('0'), '1'] },
  ])
  expect(points('gen_ai.client.token.usage').map((point) => [attributesOf(point)['gen_ai.token.type'], point.sum])).toEqual([
    ['input', 360],
    ['output', 90],
  ])
  expect(points('gen_ai.execute_tool.duration').map((point) => attributesOf(point)['error.type'])).toEqual(['failed', 'TIMED_OUT'])
  expect(points('gen_ai.invoke_agent.duration').map(attributesOf)).toMatchObject([
    { 'agent.source': 'telegram', 'agent.status': 'complete' },
  ])
})

test('a collector that is away loses nothing of the last 2,000, is complained about once, and disturbs nobody', async () => {
  const { collector, clock, lines, tell } = await open(({ url }) => ({ endpoint: url, interval_seconds: 1 }))
  collector.isAway = true
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 1000; at++) await tell('tool.end', { ...toolEnd, turn: `trn_${round * 1000 + at}` })
    const asked = collector.headers.length
    await clock.advance(1000)
    await expect.poll(() => collector.headers.length).toBeGreaterThan(asked)
    await expect.poll(() => clock.sleeping()).toBe(1)
  }
  expect(lines).toEqual(['the collector does not take measurements: it answered 503 to /v1/traces'])
  collector.isAway = false
  await clock.advance(1000)
  await expect.poll(() => collector.spans.length).toBe(2000)
  await expect.poll(() => lines.at(-1)).toBe('the collector takes measurements again')
})

test('many spans go out before their time, also those that gather while others are sent, and metrics at theirs', async () => {
  const { collector, clock, lines, tell } = await open(({ url }) => ({ endpoint: url, interval_seconds: 60 }))
  for (let at = 0; at < 511; at++) await tell('tool.end', toolEnd)
  expect(collector.headers).toEqual([])
  await tell('tool.end', toolEnd)
  for (let at = 0; at < 1500; at++) await tell('tool.end', toolEnd)
  await expect.poll(() => collector.spans.length).toBe(2012)
  expect(collector.metrics).toEqual([])
  await clock.advance(60_000)
  await expect.poll(() => collector.metrics.length).toBe(1)
  expect(lines).toEqual([])
})

test('what a collector that answers takes too slowly is said to be lost', async () => {
  const { collector, clock, lines, tell } = await open(({ url }) => ({ endpoint: url, interval_seconds: 60 }))
  let answer = (): void => undefined
  collector.until = new Promise((resolve) => {
    answer = resolve
  })
  for (let at = 0; at < 512; at++) await tell('tool.end', toolEnd)
  await expect.poll(() => collector.headers.length).toBe(1)
  for (let at = 0; at < 2003; at++) await tell('tool.end', toolEnd)
  answer()
  await expect.poll(() => collector.spans.length).toBe(2512)
  await expect.poll(() => lines).toEqual(['the collector takes measurements too slowly, so the oldest are lost'])
  await clock.advance(60_000)
  await expect.poll(() => collector.metrics.length).toBe(1)
  expect(lines).toHaveLength(1)
})

test('Prometheus reads a page of what was measured', async () => {
  const { lines, tell } = await open(() => ({ prometheus: { port: 0 } }))
  await tell('model.end', { ...modelEnd, model: 'a "b"\\\nc' })
  await tell('model.end', modelEnd)
  const url = /http:\S+/.exec(lines[0] ?? '')?.[0] ?? ''
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const page = await answer.text()
  const sample = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? -?[\d.e+-]+$/
  expect(page.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE) /.test(line) && !sample.test(line))).toEqual([])
  expect(page.match(/^# TYPE \S+ histogram$/gm)).toHaveLength(3)
  expect(page).toContain('gen_ai_request_model="a \\"b\\"\\\\\\nc"')
  const own = page.split('\n').filter((line) => line.startsWith('gen_ai_client_operation_duration_seconds') && line.includes('"claude"'))
  expect(own.map((line) => line.split(' ').at(-1))).toEqual([...new Array(8).fill('0'), ...new Array(7).fill('1'), '1.5', '1'])
  expect(own.at(-3)).toContain('le="+Inf"')
  expect([(await fetch(url.replace('/metrics', '/'))).status, (await fetch(url, { method: 'POST' })).status]).toEqual([404, 405])
})

test('what a model makes up cannot fill the memory', async () => {
  const { lines, tell } = await open(() => ({ prometheus: { port: 0 } }))
  for (let at = 0; at < 3000; at++) await tell('tool.end', { ...toolEnd, tool: `t${at}` })
  const page = await (await fetch(/http:\S+/.exec(lines[0] ?? '')?.[0] ?? '')).text()
  expect(page.match(/_count/g)).toHaveLength(2000)
})

test.each(['word', '=word', 'na me=word'])('%j is no list of headers, and the value is not told', (text) => {
  expect(() => parseHeaders(text)).toThrow(/OTEL_EXPORTER_OTLP_HEADERS/)
  expect(parseHeaders(' ')).toEqual({})
})
