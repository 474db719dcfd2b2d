import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { counted, ended, greeting, jsonOf, openDoor, overloaded, play, type Script, started, textOf } from '../../test/test-door.ts'
import type { Settings } from '../door/settings.ts'
import { failureReply } from '../wire/failure.ts'

const known = { authorization: 'Bearer k' }

function openRuns(script: Script = () => play(greeting), given: Partial<Settings> = {}) {
  const heard: TurnRequest[] = []
  const answers = new Map<string, (value: string) => void>()
  const door = openDoor(
    (request, call) => {
      heard.push(request)
      return script(request, call)
    },
    { key: 'k', maxRuns: 10, ...given },
    async (id, value) => {
      const answer = answers.get(id)
      answer?.(value)
      return answer !== undefined
    },
  )
  const post = (path: string, body: unknown = '', headers: Record<string, string> = {}) =>
    door.ask({ path: `/v1/runs${path}`, body, headers: { ...known, ...headers } })
  const get = (path: string, headers: Record<string, string> = {}) => door.get(`/v1/runs${path}`, 'GET', { ...known, ...headers })
  const events = async (path: string, headers: Record<string, string> = {}): Promise<readonly string[]> =>
    [...(await textOf(await get(path, headers))).matchAll(/^id: (\d+)\nevent: (\S+)$/gm)].map(([, id, name]) => `${id} ${name}`)
  return { ...door, post, get, events, heard, answers, settled: () => new Promise(setImmediate) }
}

/** Goes on when it is told to, or is interrupted. */
const untilAborted: Script = async function* (_request, { signal }) {
  yield* [started, { type: 'message.delta', text: 'and' }] satisfies TurnEvent[]
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  yield { type: 'message.complete', text: 'and', status: 'interrupted', stop: 'stop' }
}

test('a run is started, goes on by itself and is read at its end', async () => {
  const { post, get, events, heard, settled } = openRuns()
  const reply = await post('', { input: 'x', instructions: 'Be brief.' })
  expect([reply.status, await jsonOf(reply)]).toEqual([202, { run_id: 'run_1', status: 'started' }])
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({
    object: 'agent.run',
    run_id: 'run_1',
    status: 'completed',
    session_id: 'ses_1',
    model: 'agent',
    output: 'hi',
    usage: { input_tokens: 10, output_tokens: 4, total_tokens: 14 },
  })
  expect(await events('/run_1/events')).toEqual(['1 message.start', '2 message.delta', '3 usage', '4 message.complete', '5 run.completed'])
  expect(heard).toMatchObject([{ instructions: 'Be brief.', canAnswer: false, history: [] }])
})

test("a run ends with calls of the client's tools, and another one brings their results", async () => {
  const calls = [{ id: 'call_1', name: 'weather', args: '{}' }]
  const { post, get, heard, settled } = openRuns(() =>
    play([started, { ...ended(''), type: 'message.complete', stop: 'tool-calls', calls } as TurnEvent]),
  )
  await post('', { input: 'x', tools: [{ type: 'function', name: 'weather' }] })
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'completed', calls })
  await post('', { input: [{ type: 'function_call_output', call_id: 'call_1', output: 'sunny' }], session_id: 'ses_1' })
  await settled()
  expect(heard).toMatchObject([
    { clientTools: [{ name: 'weather' }] },
    { session: { id: 'ses_1' }, input: [], results: [{ id: 'call_1', text: 'sunny' }] },
  ])
})

test.each([
  ['length', 'length', 'max_output_tokens'],
  ['complete', 'content-filter', 'content_filter'],
] as const)('a run whose answer was cut short says so: %s, %s', async (status, stop, reason) => {
  const { post, get, settled } = openRuns(() => play([started, { ...ended('so f'), type: 'message.complete', status, stop } as TurnEvent]))
  await post('', { input: 'x' })
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'completed', output: 'so f', incomplete_details: { reason } })
})

test('events are replayed from where a reader left off', async () => {
  const tool = (id: string): readonly TurnEvent[] => [
    { type: 'tool.start', id, name: 'terminal', args: {}, preview: 'ls' },
    { type: 'tool.complete', id, name: 'terminal', ok: true, text: '', durationMs: 1500 },
  ]
  const many = Array.from({ length: 200 }, (_, index) => tool(`c${index}`)).flat()
  const { post, get, events, settled, clock } = openRuns(() => play([started, ...many, counted, ended('hi')]))
  await post('', { input: 'x' })
  await settled()
  const all = await events('/run_1/events')
  expect([all.length, all[0], all.at(-1)]).toEqual([256, '149 tool.complete', '404 run.completed'])
  expect(await events('/run_1/events', { 'last-event-id': '402' })).toEqual(['403 message.complete', '404 run.completed'])
  expect(await events('/run_1/events?after=403')).toEqual(['404 run.completed'])
  await clock.advance(300_000)
  expect(await events('/run_1/events')).toEqual(['404 run.completed'])
  await clock.advance(86_400_000)
  expect((await get('/run_1')).status).toBe(404)
})

test('events that carry much are given up before those that carry little', async () => {
  const text = 'x'.repeat(300_000)
  const done = (id: string): TurnEvent => ({ type: 'tool.complete', id, name: 'terminal', ok: true, text, durationMs: 1 })
  const { post, events, settled } = openRuns(() =>
    play([started, ...Array.from({ length: 20 }, (_, index) => done(`c${index}`)), ended('hi')]),
  )
  await post('', { input: 'x' })
  await settled()
  const kept = await events('/run_1/events')
  expect(kept.length).toBeLessThan(10)
  expect(kept.at(-1)).toBe('23 run.completed')
})

test('text that nobody has read yet is one event, for a reader it comes as it is said', async () => {
  let speak = (_text: string | undefined): void => {}
  const { post, get, settled } = openRuns(async function* () {
    yield* [started, { type: 'message.delta', text: 'a' }, { type: 'message.delta', text: 'b' }] satisfies TurnEvent[]
    for (;;) {
      const text = await new Promise<string | undefined>((resolve) => {
        speak = resolve
      })
      if (text === undefined) break
      yield { type: 'message.delta', text }
    }
    yield ended('abc')
  })
  await post('', { input: 'x' })
  await settled()
  const reader = ((await get('/run_1/events')).body as AsyncIterable<string>)[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatch(/^id: 1\nevent: message.start\n.*\n\nid: 2\nevent: message.delta\n.*"text":"ab"/)
  const next = reader.next()
  speak('c')
  expect((await next).value).toMatch(/^id: 3\nevent: message.delta\n.*"text":"c"/)
  const last = reader.next()
  speak(undefined)
  expect((await last).value).toContain('event: message.complete')
  expect((await reader.next()).value).toContain('event: run.completed')
  expect((await reader.next()).done).toBe(true)
})

test('a reader of a silent run gets signs of life, and leaves it running', async () => {
  const { post, get, settled, clock } = openRuns(untilAborted)
  await post('', { input: 'x' })
  await settled()
  const reader = ((await get('/run_1/events')).body as AsyncIterable<string>)[Symbol.asyncIterator]()
  await reader.next()
  const waiting = reader.next()
  for (let looks = 0; looks < 3; looks++) await clock.advance(5_000)
  expect((await waiting).value).toBe(': keepalive\n\n')
  await reader.return?.()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'running' })
  await post('/run_1/stop')
})

test('a run that is stopped is cancelled, one that is over stays what it was', async () => {
  const { post, get, events, settled } = openRuns(untilAborted)
  await post('', { input: 'x' })
  await settled()
  expect(await jsonOf(await post('/run_1/stop'))).toEqual({ run_id: 'run_1', status: 'stopping' })
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'cancelled', output: 'and' })
  expect((await events('/run_1/events')).at(-1)).toBe('4 run.cancelled')
  expect(await jsonOf(await post('/run_1/stop'))).toMatchObject({ status: 'cancelled' })
})

test('the end of the server cancels what runs', async () => {
  const { post, get, settled, close } = openRuns(untilAborted)
  await post('', { input: 'x' })
  await settled()
  close()
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'cancelled' })
})

test.each([
  ['tells of its error', [started, overloaded, ended('', 'failed')], 'model_overloaded'],
  ['ends without a result', [started], 'internal'],
] as const)('a run that %s has failed', async (_what, script, code) => {
  const { post, get, events, settled } = openRuns(() => play(script))
  await post('', { input: 'x' })
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'failed', error: { code } })
  expect((await events('/run_1/events')).at(-1)).toMatch(/run.failed$/)
})

test('an approval is asked for only where the client wants to be asked, and is answered once', async () => {
  const { post, get, events, heard, answers, settled } = openRuns(async function* () {
    yield* [
      started,
      { type: 'approval.request', id: 'ask_1', tool: 'terminal', subject: 'rm x', reason: 'deletes', choices: ['once', 'deny'] },
    ] satisfies TurnEvent[]
    const choice = await new Promise<string>((resolve) => answers.set('ask_1', resolve))
    yield ended(choice)
  })
  await post('', { input: 'x', approvals: true })
  await settled()
  expect(heard).toMatchObject([{ canAnswer: true }])
  expect(await jsonOf(await get('/run_1'))).toMatchObject({
    status: 'waiting_for_approval',
    waiting_for: [{ id: 'ask_1', subject: 'rm x' }],
  })
  expect(await jsonOf(await post('/run_1/approval', { choice: 'always' }))).toMatchObject({ error: { code: 'invalid_request' } })
  expect(await jsonOf(await post('/run_1/approval', {}))).toMatchObject({ error: { code: 'invalid_request', param: 'choice' } })
  const wrong = await post('/run_1/approval', { choice: 'once', id: 'ask_9' })
  expect([wrong.status, await jsonOf(wrong)]).toMatchObject([409, { error: { code: 'run_not_asking' } }])
  const notAsking = failureReply(fail('HTTP_RUN_NOT_ASKING', { run: 'run_1' }))
  expect(wrong).toMatchObject(notAsking)
  expect(await jsonOf(await post('/run_1/approval', { choice: 'once' }))).toMatchObject({ run_id: 'run_1', choice: 'once' })
  await settled()
  expect(await jsonOf(await get('/run_1'))).toMatchObject({ status: 'completed', output: 'once' })
  expect(await events('/run_1/events')).toEqual([
    '1 message.start',
    '2 approval.request',
    '3 approval.responded',
    '4 message.complete',
    '5 run.completed',
  ])
  expect(await post('/run_1/approval', { choice: 'once' })).toMatchObject(notAsking)
})

test('a repeated run is the first one, and another run of the same name is refused', async () => {
  const { post, heard, clock } = openRuns()
  const names = { 'idempotency-key': 'once' }
  const [first, second] = await Promise.all([post('', { input: 'x' }, names), post('', { input: 'x' }, names)])
  expect([first?.status, first?.headers?.['idempotency-replayed']]).toEqual([202, undefined])
  expect([second?.status, second?.headers?.['idempotency-replayed'], second?.body]).toEqual([202, 'true', first?.body])
  expect(heard).toHaveLength(1)
  const other = await post('', { input: 'y' }, names)
  expect([other.status, await jsonOf(other)]).toMatchObject([409, { error: { code: 'idempotency_key_conflict' } }])
  expect(other).toMatchObject(failureReply(fail('HTTP_IDEMPOTENCY')))
  await clock.advance(86_400_000)
  expect(await jsonOf(await post('', { input: 'y' }, names))).toMatchObject({ run_id: 'run_2' })
})

test.each(['', 'two words', 'ü', 'x'.repeat(256)])('the name %j of a run is refused', async (key) => {
  expect(await jsonOf(await openRuns().post('', { input: 'x' }, { 'idempotency-key': key }))).toMatchObject({
    error: { code: 'invalid_request', param: 'Idempotency-Key' },
  })
})

test('a run goes on from a session or a response, and counts as one of the concurrent runs', async () => {
  const { post, ask, heard, settled } = openRuns(untilAborted, { maxRuns: 2 })
  await post('', { input: 'x', session_id: 'ses_7' })
  await post('', { input: 'x' })
  expect(heard.map(({ session }) => session)).toEqual([{ id: 'ses_7' }, { key: 'api-2' }])
  expect((await post('', { input: 'x' })).status).toBe(429)
  expect((await ask({ headers: known })).status).toBe(429)
  await post('/run_1/stop')
  await settled()
  expect(await jsonOf(await post('', { input: 'x', previous_response_id: 'resp_0' }))).toMatchObject({ error: { code: 'not_found' } })
  await post('/run_2/stop')
})

test('without a key nobody is asked for approval and no session is named', async () => {
  const { ask } = openRuns(undefined, { key: undefined })
  const refused = await ask({ path: '/v1/runs', body: { input: 'x', approvals: true } })
  expect(refused).toMatchObject(failureReply(fail('HTTP_APPROVALS_KEYLESS')))
  const codes = [{ approvals: true }, { session_id: 'ses_1' }].map(async (wish) => {
    const reply = await ask({ path: '/v1/runs', body: { input: 'x', ...wish } })
    return [reply.status, await jsonOf(reply)]
  })
  expect(await Promise.all(codes)).toMatchObject([
    [403, { error: { code: 'approvals_need_key' } }],
    [403, { error: { code: 'session_needs_key' } }],
  ])
})

test('runs that were long give way to newer ones, and one that still goes on does not', async () => {
  let asked = 0
  const long = 'x'.repeat(15_000_000)
  const { post, get, settled } = openRuns((request, call) => (++asked === 1 ? untilAborted(request, call) : play([started, ended(long)])))
  for (let run = 1; run <= 6; run++) {
    await post('', { input: 'x' })
    await settled()
  }
  const states = await Promise.all([1, 2, 3, 4, 5, 6].map(async (run) => (await get(`/run_${run}`)).status))
  expect(states).toEqual([200, 404, 404, 404, 200, 200])
})

test('a long text that nobody reads is several events, of which the newest are kept', async () => {
  const piece = { type: 'message.delta', text: 'x'.repeat(30_000) } as const
  const { post, get, settled } = openRuns(() => play([started, ...Array.from({ length: 200 }, () => piece), ended('done')]))
  await post('', { input: 'x' })
  await settled()
  const text = await textOf(await get('/run_1/events'))
  const lengths = [...text.matchAll(/"text":"(x+)"/g)].map(([, said = '']) => said.length)
  expect(Math.max(...lengths)).toBeLessThan(100_000)
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(1_500_000)
  expect(text.length).toBeLessThan(2_200_000)
})

test('a child agent of a run begins and ends in its events; what it calls meanwhile does not come', async () => {
  const about = { id: 'sub_1', depth: 1, goal: 'count', index: 0, count: 1, session: 'ses_2' } as const
  const { post, events, settled } = openRuns(() =>
    play([
      ...[started, { ...about, type: 'subagent.spawn_requested' }, { ...about, type: 'subagent.start', model: 'm' }],
      { ...about, type: 'subagent.tool', name: 'search_files', preview: '', calls: 1 },
      { ...about, type: 'subagent.complete', status: 'completed', exitReason: 'completed', text: '12', durationMs: 1 },
      ended('hi'),
    ] as TurnEvent[]),
  )
  await post('', { input: 'x' })
  await settled()
  expect((await events('/run_1/events')).map((line) => line.split(' ')[1])).toEqual([
    ...['message.start', 'subagent.spawn_requested', 'subagent.start', 'subagent.complete', 'message.complete', 'run.completed'],
  ])
})
