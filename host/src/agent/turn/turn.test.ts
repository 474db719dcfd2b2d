import type { Clock, ModelEvent } from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Step } from '#store/journal.ts'
import type { PreparedCall, ToolRequest, ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import { createLateCommits } from './late-commits.ts'
import type { TurnsOptions } from './prepare-turn.ts'
import { callEvent, end, hello, last, spec, text, typesOf, world } from './testing/turn-world.ts'

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
  expect(asked[1]?.messages[1]).toMatchObject({ parts: [{ type: 'text', text: 'Looking.' }, { id: 'a' }, { id: 'b' }] })
  expect(asked[1]?.messages[2]).toMatchObject({ results: [{ id: 'a' }, { id: 'b' }] })
  expect(last(events)).toMatchObject({ text: 'Done.', status: 'complete' })
  // The step is on disk before the calls run, the rest at the end.
  expect(commits.map((rows) => rows.messages.map((message) => message.role))).toEqual([
    ['user', 'assistant'],
    ['tool', 'assistant'],
  ])
  // The session is made once.
  expect(commits.map(({ session }) => session.create !== undefined)).toEqual([true, false])
})

test('the end of a turn is told when it is on disk, and to a caller that keeps the conversation before that', async () => {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => (resolve = settle))
  const sessions = { byKey: async () => undefined, commit: () => promise } as unknown as TurnsOptions['sessions']
  const late = createLateCommits(sessions, createFakeClock(), silentLog)
  const { turns, run } = world(
    [
      [text('1'), end()],
      [text('2'), end()],
    ],
    [],
    { sessions, late },
  )
  const heard: string[] = []
  const running = (async () => {
    for await (const { type } of turns.run(hello, createCall(new AbortController().signal))) heard.push(type)
  })()
  await expect.poll(() => heard).toContain('message.delta')
  await new Promise((next) => setImmediate(next))
  expect(heard).not.toContain('message.complete')
  expect(last(await run({ ...hello, history: [] })).text).toBe('2')
  resolve()
  await running
  expect(heard).toContain('message.complete')
})

test('a caller that keeps the conversation leaves nothing in the store when nothing came of its turn', async () => {
  const error = toWireError(fail('MODEL_AUTH', { provider: 'script', detail: 'bad key' }))
  const { run, commits } = world([[{ type: 'failed', class: 'auth', error }]])
  await run({ ...hello, history: [] })
  await new Promise((resolve) => setImmediate(resolve))
  expect(commits).toEqual([])
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
  expect(events.find((event) => event.type === 'status')).toMatchObject({ kind: 'retry', text: expect.stringContaining(' 5 ms.') })
  expect(last(events).text).toBe('Now.')
  const longer = { ...failed, error: { ...failed.error, retryAfterMs: 1_600 } }
  const slow = await world([[longer], [text('Now.'), end()]]).run()
  expect(slow.find((event) => event.type === 'status')).toMatchObject({ text: expect.stringContaining(' 2 s.') })
})

test('the model is not asked again before its wait is over', async () => {
  let wake: () => void = () => undefined
  const slept: number[] = []
  const clock: Clock = {
    now: () => 0,
    sleep: (ms) => {
      slept.push(ms)
      return new Promise((resolve) => (wake = resolve))
    },
  }
  const error = toWireError(fail('MODEL_RATE_LIMIT', { provider: 'script', detail: 'slow down' }, { retryAfterMs: 900 }))
  const { run, asked } = world([[{ type: 'failed', class: 'rate_limit', error }], [text('Now.'), end()]], [], { clock })
  const running = run()
  await expect.poll(() => slept).toContain(900)
  expect(asked).toHaveLength(1)
  wake()
  expect(last(await running).text).toBe('Now.')
})

test('what a turn did before the model failed stays, with a word that it ended early', async () => {
  const error = toWireError(fail('MODEL_AUTH', { provider: 'script', detail: 'bad key' }))
  const { run, commits } = world([[callEvent('a'), end('tool-calls')], [{ type: 'failed', class: 'auth', error }]])
  await run()
  expect(commits.flatMap(({ messages }) => messages).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(commits.at(-1)?.messages.at(-1)).toEqual({ role: 'assistant', parts: [{ type: 'text', text: '[ended early: failed]' }] })
})

test('a fault of the program itself ends the turn as failed and is in the log, an interrupt is not', async () => {
  const lines: string[] = []
  const log = { ...silentLog, error: (text: string) => void lines.push(text) }
  const broken = () => {
    throw new Error('broken')
  }
  const { run } = world([broken], [], { log })
  expect(last(await run()).status).toBe('failed')
  expect(lines).toEqual(['a turn failed inside'])
  const stop = new AbortController()
  const interrupted = world(
    [
      () => {
        stop.abort(fail('INTERRUPTED'))
        throw new Error('over')
      },
    ],
    [],
    { log },
  )
  expect(last(await interrupted.run(hello, stop.signal)).status).toBe('interrupted')
  expect(lines).toHaveLength(1)
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

test('an answer that ends for good in the middle is kept as far as it came', async () => {
  const failed: ModelEvent = {
    type: 'failed',
    class: 'billing',
    error: toWireError(fail('MODEL_BILLING', { provider: 'script', detail: 'no credit' })),
  }
  const { run, commits, asked } = world([[text('Half an ans'), failed]])
  const events = await run()
  expect(asked).toHaveLength(1)
  expect(last(events)).toMatchObject({ status: 'failed', text: 'Half an ans' })
  expect(commits[0]?.messages[1]).toEqual({ role: 'assistant', parts: [{ type: 'text', text: 'Half an ans\n[ended early: failed]' }] })
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
  expect(commits[0]?.messages[1]).toEqual({ role: 'assistant', parts: [{ type: 'text', text: 'One \n[interrupted]' }] })
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

test('a session is taken up again by its id', async () => {
  const { run, commits, asked } = world([
    [text('1'), end()],
    [text('2'), end()],
  ])
  await run()
  const { id = '' } = commits[0]?.session ?? {}
  await run({ ...hello, session: { id } })
  expect(commits[1]?.session).toEqual({ id })
  expect(asked[1]?.messages).toHaveLength(3)
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

test('a tool does not start before its start is on disk', async () => {
  const ran: string[] = []
  const { turns } = world([[callEvent('a'), end('tool-calls')]], ran)
  const recorded: string[] = []
  let write = (): void => undefined
  const written = new Promise<void>((resolve) => (write = resolve))
  const taken = turns.take(hello, createCall(new AbortController().signal), {
    steps: [],
    hear: () => undefined,
    recordStep: async ({ type }) => {
      recorded.push(type)
      if (type === 'tool.start') await written
    },
  })
  await expect.poll(() => recorded).toEqual(['model', 'tool.start'])
  await new Promise((resolve) => setImmediate(resolve))
  expect(ran).toEqual([])
  write()
  ;(await taken).release()
  expect([ran, recorded]).toEqual([['a'], ['model', 'tool.start', 'tool.done']])
})

test('what became of a call that did not run is on disk too: a turn that goes on after a crash tells the model the same', async () => {
  const { turns } = world([[callEvent('a', 'nope'), end('tool-calls')]])
  const recorded: Step[] = []
  const { release } = await turns.take(hello, createCall(new AbortController().signal), {
    steps: [],
    hear: () => undefined,
    recordStep: async (step) => void recorded.push(step),
  })
  release()
  expect(recorded.at(1)).toMatchObject({ type: 'tool.done', outcome: { id: 'a', name: 'nope', ok: false } })
})

test('a call is on disk before anybody hears of it', async () => {
  const order: string[] = []
  const { turns } = world([[callEvent('a'), end('tool-calls')]], order)
  const { release } = await turns.take(hello, createCall(new AbortController().signal), {
    steps: [],
    hear: ({ type }) => void order.push(type),
    recordStep: async ({ type }) => {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`${type} is on disk`)
    },
  })
  release()
  expect(order.indexOf('model is on disk')).toBeGreaterThan(-1)
  expect(order.indexOf('model is on disk')).toBeLessThan(order.indexOf('tool.start'))
})

test('a turn of which nothing came leaves no rows', async () => {
  const error = toWireError(fail('MODEL_AUTH', { provider: 'script', detail: 'bad key' }))
  const { turns } = world([[{ type: 'failed', class: 'auth', error }]])
  const door = { steps: [], hear: () => undefined, recordStep: async () => undefined }
  const end = await turns.take({ ...hello, history: [] }, createCall(new AbortController().signal), door)
  end.release()
  expect([end.status, end.messages, end.rows]).toEqual(['failed', [], null])
})

test('the model is asked again when the result of its call is on disk', async () => {
  const { turns, asked } = world([
    [callEvent('a'), end('tool-calls')],
    [text('Done.'), end()],
  ])
  let write = (): void => undefined
  const written = new Promise<void>((resolve) => (write = resolve))
  let isDone = false
  const taken = turns.take(hello, createCall(new AbortController().signal), {
    steps: [],
    hear: () => undefined,
    recordStep: async ({ type }) => {
      if (type !== 'tool.done') return
      isDone = true
      await written
    },
  })
  await expect.poll(() => isDone).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toHaveLength(1)
  write()
  ;(await taken).release()
  expect(asked).toHaveLength(2)
})

test.each([
  ['a question', (turn: ToolTurn) => turn.ask({ question: 'Which?', choices: [] })],
  ['an approval', (turn: ToolTurn) => turn.approve({ tool: 'echo', subject: 'x', reason: 'y', choices: ['once', 'deny'] })],
])('%s that nobody answers ends in time, and comes too late afterwards', async (_, put) => {
  const patient = createFakeClock()
  const outcomes: string[] = []
  const prepare = async ({ id, name }: ToolRequest, turn: ToolTurn): Promise<PreparedCall> => {
    const said = await put(turn).catch((error: unknown) => (isAgentError(error) ? error.code : String(error)))
    outcomes.push(said)
    return { ready: false, args: {}, preview: '', done: { outcome: { id, name, ok: true, text: said }, durationMs: 0 } }
  }
  const toolbox: ToolView = { specs: () => [spec], reachable: () => new Set(), isReplaySafe: () => false, prepare }
  const { turns } = world([[callEvent('a'), end('tool-calls')]], [], { clock: patient, toolbox })
  let asked: string | undefined
  const running = (async () => {
    for await (const event of turns.run(hello, createCall(new AbortController().signal)))
      if (event.type === 'clarify.request' || event.type === 'approval.request') asked = event.id
  })()
  await expect.poll(() => asked).toBeDefined()
  await patient.advance(999)
  expect(outcomes).toEqual([])
  await patient.advance(1)
  await running
  expect(outcomes).toEqual(['TIMED_OUT'])
  expect(await turns.answer(asked ?? '', 'once')).toBe(false)
})

test('a checkpoint is taken before a tool that may change files, and concluded before the end is told', async () => {
  const ran: string[] = []
  const turn = { before: async () => void ran.push('before'), after: async () => void ran.push('after') }
  const asked: unknown[] = []
  const checkpoints = {
    forTurn: (about: unknown) => {
      asked.push(about)
      return turn
    },
  }
  const { run } = world(
    [
      [callEvent('a'), end('tool-calls')],
      [text('Done.'), end()],
    ],
    ran,
    { checkpoints },
  )
  const events = await run(hello, undefined, ({ type }) => type === 'message.complete' && ran.push(type))
  expect(ran).toEqual(['before', 'a', 'after', 'message.complete'])
  expect(asked).toMatchObject([{ workspace: '/work', session: expect.stringMatching(/^ses_/) }])
  expect(last(events)).toMatchObject({ status: 'complete' })
})
