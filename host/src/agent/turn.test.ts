import type { Clock, ModelEvent, ModelRequest, ToolSpec, TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/call.ts'
import { createHooks } from '#kernel/hooks.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { NewSession, Session, Sessions, TurnRows } from '#store/sessions.ts'
import type { PreparedCall, ToolRequest } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox.ts'
import { createLateCommits } from './late-commits.ts'
import { createTurns } from './turns.ts'

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const clock: Clock = { now: () => 1_700_000_000_000, sleep: async (_ms, signal) => signal?.throwIfAborted() }
const spec: ToolSpec = { name: 'echo', description: 'Says it again.', parameters: { type: 'object' } }
const end = (reason: 'stop' | 'tool-calls' = 'stop'): ModelEvent => ({ type: 'end', reason, usage })
const text = (delta: string): ModelEvent => ({ type: 'text', delta })
const callEvent = (id: string, name = 'echo', args = '{}'): ModelEvent => ({ type: 'call', id, name, args })
const hello: TurnRequest = { input: [{ type: 'text', text: 'hello' }], source: 'cli', canAnswer: true }

/** A model that says its script, one entry per step, and keeps what it was asked. */
function world(script: readonly (readonly ModelEvent[] | ((request: ModelRequest) => AsyncIterable<ModelEvent>))[], ran: string[] = []) {
  const asked: ModelRequest[] = []
  const commits: TurnRows[] = []
  const stored = new Map<string, Session>()
  const sessions = {
    find: async (id: string) => stored.get(id),
    byKey: async (key: string) => [...stored.values()].find((session) => session.key === key),
    history: async (id: string) => commits.filter((rows) => rows.session.id === id).flatMap((rows) => rows.messages),
    commit: async (rows: TurnRows) => {
      commits.push(rows)
      const created: NewSession | undefined = rows.session.create
      if (created) stored.set(rows.session.id, { ...created, id: rows.session.id, key: created.key ?? null } as Session)
    },
  } as unknown as Sessions
  const toolbox: ToolView = {
    specs: () => [spec],
    isReplaySafe: () => false,
    prepare: async (request: ToolRequest): Promise<PreparedCall> => {
      const outcome = { id: request.id, name: request.name, ok: request.name === 'echo', text: `${request.name} ${request.args}` }
      if (request.name !== 'echo') return { ready: false, args: {}, preview: '', done: { outcome, durationMs: 0 } }
      const run = async () => {
        ran.push(request.id)
        return { outcome, durationMs: 1 }
      }
      return { ready: true, args: {}, preview: request.args, parallel: true, replaySafe: false, run }
    },
  }
  async function* stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    asked.push({ ...request, messages: structuredClone(request.messages) as ModelRequest['messages'] })
    const next = script[asked.length - 1] ?? [text('(script over)'), end()]
    yield* typeof next === 'function' ? next(request) : next
  }
  const turns = createTurns({
    sessions,
    late: createLateCommits(sessions, clock, silentLog),
    models: { model: async () => ({ provider: 'script', model: 'm', stream }) },
    toolbox,
    hooks: createHooks({ clock, log: silentLog }),
    clock,
    log: silentLog,
    choose: () => ({ provider: 'script', model: 'm', implicit: false }),
    workspace: '/work',
    maxSteps: 4,
    apiTimeoutMs: 60_000,
    approvalTimeoutMs: 1000,
    random: () => 0.5,
    toolsetsOf: () => undefined,
    skills: async () => [],
    hintFor: () => undefined,
  })
  const run = async (request: TurnRequest = hello, signal: AbortSignal = new AbortController().signal): Promise<TurnEvent[]> => {
    const events: TurnEvent[] = []
    for await (const event of turns.run(request, createCall(signal))) events.push(event)
    return events
  }
  return { turns, run, asked, commits }
}

const typesOf = (events: readonly TurnEvent[]): readonly string[] => events.map((event) => event.type)
const last = (events: readonly TurnEvent[]) => events.at(-1) as Extract<TurnEvent, { type: 'message.complete' }>

test('a plain answer streams, is stored once and ends with the whole text', async () => {
  const { run, commits } = world([[text('Hel'), text('lo.'), end()]])
  const events = await run()
  expect(typesOf(events)).toEqual(['message.start', 'message.delta', 'message.delta', 'usage', 'message.complete'])
  expect(last(events)).toMatchObject({ text: 'Hello.', status: 'complete' })
  expect(commits).toHaveLength(1)
  expect(commits[0]?.messages.map((message) => message.role)).toEqual(['user', 'assistant'])
})

test('parallel calls are paired by id, their results follow in the order of the calls, and roles alternate', async () => {
  const ran: string[] = []
  const { run, asked, commits } = world(
    [
      [text('Looking.'), callEvent('a'), callEvent('b'), end('tool-calls')],
      [text('Done.'), end()],
    ],
    ran,
  )
  const events = await run()
  expect(ran.sort()).toEqual(['a', 'b'])
  expect(asked[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
  expect(asked[1]?.messages[2]).toMatchObject({ results: [{ id: 'a' }, { id: 'b' }] })
  expect(last(events)).toMatchObject({ text: 'Done.', status: 'complete' })
  // The step is on disk before the calls run, the rest at the end.
  expect(commits.map((rows) => rows.messages.map((message) => message.role))).toEqual([
    ['user', 'assistant'],
    ['tool', 'assistant'],
  ])
})

test('an unknown tool is a result for the model, not an end', async () => {
  const { run, asked } = world([
    [callEvent('a', 'nope'), end('tool-calls')],
    [text('Sorry.'), end()],
  ])
  const events = await run()
  expect(asked[1]?.messages[2]).toMatchObject({ results: [{ id: 'a', ok: false }] })
  expect(last(events).status).toBe('complete')
})

test('a failure that may pass is waited for and tried again, and the person is told', async () => {
  const failed: ModelEvent = {
    type: 'failed',
    class: 'rate_limit',
    error: toWireError(fail('MODEL_RATE_LIMIT', { provider: 'script', detail: 'slow down' }, { retryAfterMs: 5 })),
  }
  const { run, asked } = world([[failed], [text('Now.'), end()]])
  const events = await run()
  expect(asked).toHaveLength(2)
  expect(events.find((event) => event.type === 'status')).toMatchObject({ kind: 'retry' })
  expect(last(events).text).toBe('Now.')
})

test('a refused key ends the turn at once with an error event and stores nothing', async () => {
  const failed: ModelEvent = {
    type: 'failed',
    class: 'auth',
    error: toWireError(fail('MODEL_AUTH', { provider: 'script', detail: 'bad key' })),
  }
  const { run, commits, asked } = world([[failed]])
  const events = await run()
  expect(asked).toHaveLength(1)
  expect(events.find((event) => event.type === 'error')).toMatchObject({ error: { code: 'MODEL_AUTH' }, retryable: false })
  expect(last(events)).toMatchObject({ status: 'failed', text: '' })
  expect(commits).toEqual([])
})

test('a stream that breaks after text was shown is not repeated; the text is kept', async () => {
  const failed: ModelEvent = {
    type: 'failed',
    class: 'disconnected',
    error: toWireError(fail('MODEL_DISCONNECTED', { provider: 'script', detail: 'cut' })),
  }
  const { run, commits, asked } = world([[text('Half an ans'), failed]])
  const events = await run()
  expect(asked).toHaveLength(1)
  expect(last(events)).toMatchObject({ status: 'failed', text: 'Half an ans' })
  expect(JSON.stringify(commits[0]?.messages)).toContain('Half an ans')
})

test('an interrupt while the model speaks keeps what was said and leaves the roles in order', async () => {
  const stop = new AbortController()
  async function* speak(): AsyncIterable<ModelEvent> {
    yield text('One ')
    stop.abort(fail('INTERRUPTED'))
    yield { type: 'failed', class: 'unknown', error: toWireError(fail('INTERRUPTED')) }
  }
  const { run, commits } = world([speak])
  const events = await run(hello, stop.signal)
  expect(last(events)).toMatchObject({ status: 'interrupted', text: 'One ' })
  expect(commits[0]?.messages.map((message) => message.role)).toEqual(['user', 'assistant'])
})

test('a model that never stops calling tools is stopped by the step budget', async () => {
  const again = [callEvent('x'), end('tool-calls')]
  const { run, asked } = world([again, again, again, again, again, again])
  const events = await run()
  expect(asked).toHaveLength(4)
  expect(events.find((event) => event.type === 'error')).toMatchObject({ error: { code: 'ITERATIONS_EXHAUSTED' } })
  expect(last(events).status).toBe('max-iterations')
})

test('the prefix of a session is the same byte for byte in every turn', async () => {
  const { run, asked } = world([
    [text('1'), end()],
    [text('2'), end()],
  ])
  const request = { ...hello, session: { key: 'k' } }
  await run(request)
  await run(request)
  expect(asked[1]?.system).toBe(asked[0]?.system)
  expect(JSON.stringify(asked[1]?.tools)).toBe(JSON.stringify(asked[0]?.tools))
  expect(asked[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
})

test('instructions are said for this turn only and not stored', async () => {
  const { run, asked, commits } = world([[text('1'), end()]])
  await run({ ...hello, instructions: 'Speak like a pirate.' })
  expect(asked[0]?.ephemeral).toBe('Speak like a pirate.')
  expect(JSON.stringify(commits)).not.toContain('pirate')
})

test('a session answers one thing at a time', async () => {
  const { turns, run } = world([
    [text('1'), end()],
    [text('2'), end()],
  ])
  const request = { ...hello, session: { key: 'k' } }
  await run(request)
  const first = turns.run(request, createCall(new AbortController().signal))
  const second = run(request)
  await expect(second).rejects.toMatchObject({ code: 'SESSION_WAITING' })
  for await (const _ of first);
})

test('a session id that is not there is refused', async () => {
  await expect(world([]).run({ ...hello, session: { id: 'ses_nope' } })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('stateless chats under one key share one session, also when they come at the same time', async () => {
  const { run, commits } = world([
    [text('1'), end()],
    [text('2'), end()],
    [text('3'), end()],
  ])
  const request = { ...hello, session: { key: 'k' }, history: [] }
  await Promise.all([run(request), run(request)])
  await run(request)
  await expect.poll(() => commits.length).toBe(3)
  expect(new Set(commits.map((rows) => rows.session.id)).size).toBe(1)
})
