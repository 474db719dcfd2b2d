import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, Clock, ModelEvent, ModelMessage, ModelRequest, ProviderContext, ToolSpec } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import provider from './offline.ts'

const tools: readonly ToolSpec[] = ['terminal', 'read_file', 'write_file', 'patch', 'todo', 'clarify'].map((name) => ({
  name,
  description: name,
  parameters: { type: 'object' },
}))

interface Setting {
  readonly script?: string
  readonly variable?: string
  readonly open?: string
  readonly clock?: Clock
}

function createContext({ script, variable, open, clock }: Setting): ProviderContext<{ script?: string }> {
  const absent = (): never => {
    throw new Error('not used')
  }
  return {
    about: { plugin: 'provider-offline', contribution: 'offline', profile: 'default', agentVersion: '0.0.0' },
    config: script === undefined ? {} : { script },
    log: { debug: absent, info: absent, warn: absent, error: absent },
    clock: clock ?? { now: () => 0, sleep: async () => undefined },
    secrets: { get: absent, find: async (name) => (name === 'AGENT_OFFLINE_OPEN' ? open : variable), set: absent },
    state: { get: absent, set: absent, delete: absent },
    models: { ask: absent },
    signal: new AbortController().signal,
    fetch: absent,
    effect: absent,
    environment: absent,
  }
}

const callOf = (signal = new AbortController().signal): Call => ({ id: 'call_1', signal, deadline: 1000 })
const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const requestOf = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'offline',
  system: '',
  messages,
  tools,
  session: 'ses_1',
  ...more,
})

async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

async function openOffline(setting: Setting = {}) {
  const source = await provider.open(createContext(setting), callOf())
  return (request: ModelRequest, signal?: AbortSignal) => collect(source.stream(request, callOf(signal)))
}

const textOf = (events: readonly ModelEvent[]): string => events.map((event) => (event.type === 'text' ? event.delta : '')).join('')
const callsOf = (events: readonly ModelEvent[]) => events.filter((event) => event.type === 'call')

/** Runs a turn as the agent does, with a tool that echoes; gives what was said and called, step by step. */
async function runTurn(text: string, more: Partial<ModelRequest> = {}): Promise<{ said: string; calls: readonly string[][] }> {
  const ask = await openOffline()
  const messages: ModelMessage[] = [user('hello'), { role: 'assistant', parts: [{ type: 'text', text: 'Hello!' }] }, user(text)]
  const calls: string[][] = []
  let said = ''
  for (;;) {
    const events = await ask(requestOf(messages, more))
    said += textOf(events)
    const made = callsOf(events)
    if (made.length === 0) return { said, calls }
    calls.push(made.map(({ name, args }) => `${name} ${args}`))
    messages.push({ role: 'assistant', parts: made.map(({ id, name, args }) => ({ type: 'call', id, name, args })) })
    messages.push({
      role: 'tool',
      results: made.map(({ id, name, args }) => ({ id, name, ok: name !== 'patch', text: `result of ${args}` })),
    })
  }
}

test('it greets, helps and answers anything else by saying that it is offline', async () => {
  for (const text of ['Hello there', 'help', 'What is the capital of France?', 'run', 'write nothing', 'fail somehow', '']) {
    const { said, calls } = await runTurn(text)
    expect(said).toContain('offline')
    expect(calls).toEqual([])
  }
})

test.each([
  ['run echo "a and b" | sort', ['terminal {"command":"echo \\"a and b\\" | sort"}']],
  ['Please read `notes.txt`', ['read_file {"path":"notes.txt"}']],
  ['write a/b.txt: one\\ntwo: three', ['write_file {"path":"a/b.txt","content":"one\\ntwo: three"}']],
  ['replace old words with new words in a.txt', ['patch {"path":"a.txt","old_string":"old words","new_string":"new words"}']],
  [
    'plan wash; cook ; eat',
    [
      'todo {"todos":[{"id":"1","content":"wash","status":"pending"},{"id":"2","content":"cook","status":"pending"},{"id":"3","content":"eat","status":"pending"}]}',
    ],
  ],
  ['ask Which colour? red | dark blue', ['clarify {"question":"Which colour?","choices":["red","dark blue"]}']],
  ['call nothing_like_it {"broken', ['nothing_like_it {"broken']],
])('%s', async (text, expected) => {
  const { said, calls } = await runTurn(text)
  expect(calls).toEqual([expected])
  expect(said).toContain('result of')
  expect(said).toContain('offline')
})

test('"and" makes parallel calls, "then" makes steps, and every result is reported', async () => {
  const { said, calls } = await runTurn(
    'write a.txt: milk and honey then think about it then read a.txt and run ls then replace a with b in a.txt',
  )
  expect(calls.map((step) => step.map((made) => made.replace(/ .*/, '')))).toEqual([['write_file'], ['read_file', 'terminal'], ['patch']])
  expect(calls[0]).toEqual(['write_file {"path":"a.txt","content":"milk and honey"}'])
  expect(said.match(/answered:/g)).toHaveLength(3)
  expect(said).toContain('patch failed:')
})

test('a request inside quotes is text', async () => {
  expect((await runTurn('write a.txt: "first then run ls"')).calls).toEqual([['write_file {"path":"a.txt","content":"first then run ls"}']])
})

test('a tool that is not offered is named instead of called', async () => {
  const { said, calls } = await runTurn('run ls', { tools: [] })
  expect(calls).toEqual([])
  expect(said).toContain('terminal')
})

test('ids of calls differ within a conversation', async () => {
  const ask = await openOffline()
  const first = callsOf(await ask(requestOf([user('run a and run b')]))).map(({ id }) => id)
  const assistant: ModelMessage = { role: 'assistant', parts: [] }
  const later = callsOf(await ask(requestOf([user('run a'), assistant, user('run a')]))).map(({ id }) => id)
  expect(new Set([...first, ...later]).size).toBe(3)
})

test('a turn that only thinks still has an answer', async () => {
  const ask = await openOffline()
  const events = await ask(requestOf([user('think about trees')]))
  expect(events.map((event) => event.type)).toContain('text')
})

test('thinking is reasoning, a failure is one last event, and usage is estimated', async () => {
  const ask = await openOffline()
  const thought = await ask(requestOf([user('think about trees')]))
  expect(thought.filter(({ type }) => type === 'reasoning').length).toBeGreaterThan(3)
  expect(thought.at(-1)).toMatchObject({ type: 'end', reason: 'stop', usage: { input: 5, cacheRead: 0 } })
  expect(await ask(requestOf([user('fail rate_limit')]))).toEqual([
    {
      type: 'failed',
      class: 'rate_limit',
      error: { code: 'MODEL_RATE_LIMIT', params: { provider: 'offline', detail: 'it was asked to fail' }, retryAfterMs: 10 },
    },
  ])
  expect(await ask(requestOf([user('fail model_not_found')]))).toMatchObject([{ error: { code: 'MODEL_NOT_FOUND' } }])
})

test('tokens are counted, and an interruption arrives between them', async () => {
  const ask = await openOffline()
  expect((await ask(requestOf([user('stream 300 tokens')]))).filter(({ type }) => type === 'text')).toHaveLength(300)
  const interruption = new AbortController()
  const clock: Clock = {
    now: () => 0,
    async sleep(ms, signal) {
      expect(ms).toBe(50)
      interruption.abort()
      signal?.throwIfAborted()
    },
  }
  const slow = await openOffline({ clock })
  const events = await slow(requestOf([user('stream 5 tokens every 50 ms')]), interruption.signal)
  expect(events).toEqual([{ type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }])
})

async function withScript(text: string, use: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'offline-'))
  try {
    const file = join(folder, 'script.yaml')
    await writeFile(file, text)
    await use(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const script = `
turns:
  - expect: /WEATHER/i
    reason: I should look.
    calls:
      - { name: terminal, args: { command: date } }
      - { name: read_file, args: '{"path": broken', id: mine }
  - fail: { class: overloaded, detail: too many, retry_after_ms: 5 }
  - expect: sunny
    say: It is sunny.
    usage: { input: 120, output: 8 }
    stop: length
`

test('a script is replayed turn by turn, for every session from its beginning', async () => {
  await withScript(script, async (file) => {
    for (const setting of [{ script: file }, { variable: file }]) {
      const ask = await openOffline(setting)
      const messages: ModelMessage[] = [user('How is the weather?')]
      const first = await ask(requestOf(messages))
      expect(callsOf(first)).toEqual([
        { type: 'call', id: 'offline_1_1', name: 'terminal', args: '{"command":"date"}' },
        { type: 'call', id: 'mine', name: 'read_file', args: '{"path": broken' },
      ])
      messages.push(
        { role: 'assistant', parts: [] },
        { role: 'tool', results: [{ id: 'mine', name: 'read_file', ok: true, text: 'sunny' }] },
      )
      expect(await ask(requestOf(messages))).toMatchObject([
        { class: 'overloaded', error: { params: { detail: 'too many' }, retryAfterMs: 5 } },
      ])
      const last = await ask(requestOf(messages))
      expect(textOf(last)).toBe('It is sunny.')
      expect(last.at(-1)).toEqual({
        type: 'end',
        reason: 'length',
        usage: { input: 120, output: 8, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      })
      expect(callsOf(await ask(requestOf([user('weather again')], { session: 'ses_2' })))).toHaveLength(2)
    }
  })
})

test('a conversation that does not fit the script fails with the turn and what was heard', async () => {
  await withScript(script, async (file) => {
    const ask = await openOffline({ script: file })
    expect(await ask(requestOf([user('Tell me a joke')]))).toMatchObject([
      {
        type: 'failed',
        class: 'format_error',
        error: { params: { detail: expect.stringMatching(/turn 1 expects .*WEATHER.*Tell me a joke/) } },
      },
    ])
    const over = Array.from({ length: 3 }, (): ModelMessage => ({ role: 'assistant', parts: [] }))
    expect(await ask(requestOf([...over, user('more')]))).toMatchObject([
      { error: { params: { detail: expect.stringContaining('has 3 turns') } } },
    ])
  })
})

test.each([
  ['{}', 'list of turns'],
  ['- 7', 'turn 1 is not a mapping'],
  ['- { sya: hello }', 'no field "sya"'],
  ['- { expect: hello }', 'does nothing'],
  ['- { calls: { name: x } }', 'calls is not a list'],
  ['- { calls: [ { args: {} } ] }', 'name of a tool'],
  ['- { fail: nonsense }', 'not a class of failure'],
  ['- { say: [] }', 'say is not a text'],
  ['- { say: a, usage: { tokens: 1 } }', 'usage: tokens'],
  ['- { say: a, stop: never }', 'stop is not one of'],
  ['- [', ''],
])('the script %s is refused: %s', async (text, problem) => {
  await withScript(text, async (file) => {
    const ask = await openOffline({ script: file })
    const [failure] = await ask(requestOf([user('hello')]))
    expect(failure).toMatchObject({
      type: 'failed',
      class: 'format_error',
      error: { params: { detail: expect.stringContaining(problem) } },
    })
  })
})

test('a turn waits for texts in all that the model is given, and is named as it wants to be', async () => {
  const text = `
turns:
  - say: Look first.
  - name: eval.yaml:7
    when: [Name the risk, /result \\d/i, the rules]
    say: Done.
`
  await withScript(text, async (file) => {
    const ask = await openOffline({ script: file })
    const looked: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: 'Result 1, the rules.' }] }
    const asked = (system: string, ephemeral: string, last: ModelMessage) =>
      ask(requestOf([user('go'), looked, last], { system, ephemeral }))
    const result: ModelMessage = { role: 'tool', results: [{ id: 'c', name: 't', ok: true, text: 'Result 2' }] }
    expect((await asked('the rules', 'Name the risk.', result)).at(-1)).toMatchObject({ type: 'end' })
    const failure = (detail: string) => [{ type: 'failed', class: 'format_error', error: { params: { detail } } }]
    expect(await asked('the rules', '', result)).toMatchObject(
      failure('eval.yaml:7 needs "Name the risk" in what the model is given, and it is not there'),
    )
    expect(await asked('', 'Name the risk.', result)).toMatchObject(
      failure('eval.yaml:7 needs "the rules" in what the model is given, and it is not there'),
    )
  })
})

test('a script that is not there fails with its path', async () => {
  const ask = await openOffline({ script: '/nowhere/script.yaml' })
  expect(await ask(requestOf([user('hello')]))).toMatchObject([
    { error: { params: { detail: expect.stringContaining('/nowhere/script.yaml') } } },
  ])
})

test.each(['run ls', 'read a.txt', 'write a.txt: hi', 'call anything {}'])(
  'strangers do not hold the tools by %j, unless tests let them',
  async (text) => {
    const request = requestOf([user(text)], { isPublic: true })
    const closed = await (await openOffline())(request)
    expect([callsOf(closed), textOf(closed)]).toEqual([[], expect.stringContaining('only for the owner of this machine')])
    expect(callsOf(await (await openOffline({ open: 'true' }))(request))).toHaveLength(1)
  },
)
