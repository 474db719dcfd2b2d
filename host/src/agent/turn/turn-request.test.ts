import type { ModelEvent, ModelMessage, ToolSpec, TurnEvent } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { createHooks } from '#kernel/hooks/hooks.ts'
import type { ModelWish } from '#models/select.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { PreparedCall, ToolRequest, ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import type { TurnsOptions } from './prepare-turn.ts'
import { callEvent, end, hello, last, spec, text, typesOf, world } from './testing/turn-world.ts'

const answer = [text('1'), end()]
const calling = [callEvent('a'), end('tool-calls')]

test('what a request says of the model goes along, and nothing else does', async () => {
  const { run, asked } = world([answer, answer])
  await run({ ...hello, maxOutputTokens: 7, temperature: 0.1, reasoning: 'high' })
  expect(asked[0]).toMatchObject({ maxOutputTokens: 7, temperature: 0.1, reasoning: 'high', model: 'm' })
  await run({ ...hello, toolChoice: 'auto' })
  for (const field of ['maxOutputTokens', 'temperature', 'reasoning', 'ephemeral', 'toolChoice']) expect(asked[1]).not.toHaveProperty(field)
})

const unsupported = (field: string): ModelEvent => ({
  ...{ type: 'failed', class: 'format_error' },
  error: toWireError(fail('MODEL_FORMAT_ERROR', { provider: 'script', detail: `Unsupported parameter: ${field}` })),
})

test('what a service refuses by name it is not told again in this turn, and the next turn begins as it was asked', async () => {
  const { run, asked } = world([[unsupported('temperature')], [unsupported('max_output_tokens')], calling, answer, answer])
  expect(last(await run({ ...hello, maxOutputTokens: 70, temperature: 0.1, reasoning: 'high' }))).toMatchObject({ status: 'complete' })
  await run({ ...hello, temperature: 0.1 })
  expect(asked.map(({ temperature, maxOutputTokens, reasoning }) => [temperature, maxOutputTokens, reasoning])).toEqual([
    [0.1, 70, 'high'],
    [undefined, 70, 'high'],
    [undefined, undefined, 'high'],
    [undefined, undefined, 'high'],
    [0.1, undefined, undefined],
  ])
})

test('a field that a service refuses although it was not told ends the turn', async () => {
  const { run, asked } = world([[unsupported('temperature')], [unsupported('temperature')], answer])
  expect(last(await run({ ...hello, temperature: 0.1 }))).toMatchObject({ status: 'failed' })
  expect(asked).toHaveLength(2)
})

test('a service that wants an answer after the results of a turn that was killed gets one', async () => {
  const detail = "Unexpected role 'user' after role 'tool'"
  const refusal: ModelEvent = {
    ...{ type: 'failed', class: 'format_error' },
    error: toWireError(fail('MODEL_FORMAT_ERROR', { provider: 'script', detail })),
  }
  const { run, asked } = world([[refusal], answer])
  const history: ModelMessage[] = [
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', parts: [{ type: 'call', id: 'a', name: 'echo', args: '{}' }] },
  ]
  expect(last(await run({ ...hello, history }))).toMatchObject({ status: 'complete', text: '1' })
  expect(asked.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ['user', 'assistant', 'tool', 'user'],
    ['user', 'assistant', 'tool', 'assistant', 'user'],
  ])
})

test('a model that stands in is told what another refused', async () => {
  const limited: ModelEvent = {
    type: 'failed',
    class: 'auth',
    error: toWireError(fail('MODEL_AUTH', { provider: 'script', detail: 'no' })),
  }
  const { run, asked } = world([[unsupported('temperature')], [limited], answer], [], { chain: [{ provider: 'near', model: 'one' }] })
  await run({ ...hello, temperature: 0.1 })
  expect(asked.map(({ model, temperature }) => [model, temperature])).toEqual([
    ['m', 0.1],
    ['m', undefined],
    ['one', 0.1],
  ])
})

test('settings hold where a request says nothing', async () => {
  const { run, asked } = world([answer, answer, answer], [], { reasoning: 'low', ephemeral: 'Be brief.' })
  await run({ ...hello, reasoning: 'high', instructions: 'Speak like a pirate.' })
  await run()
  expect(asked.map(({ reasoning, ephemeral }) => [reasoning, ephemeral])).toEqual([
    ['high', 'Be brief.\n\nSpeak like a pirate.'],
    ['low', 'Be brief.'],
  ])
})

test('the configuration of now answers in a stored session too, unless a request names a model', async () => {
  const wishes: ModelWish[] = []
  const choose = ({ provider, model }: ModelWish) => {
    wishes.push({ provider, model })
    return { provider: 'script', model: 'm', implicit: false }
  }
  const { run } = world([answer, answer, answer, answer], [], { choose })
  const session = { key: 'k' }
  await run({ ...hello, session })
  await run({ ...hello, session })
  await run({ ...hello, session, model: 'other' })
  await run({ ...hello, session, provider: 'p2' })
  expect(wishes).toEqual([{}, {}, { model: 'other' }, { provider: 'p2' }])
})

test('a session keeps the tools that it began with; a door has only its own', async () => {
  let own: readonly string[] = ['files', 'look']
  const specs = (only: readonly string[] = ['everything']): readonly ToolSpec[] => only.map((name) => ({ ...spec, name }))
  const toolbox: ToolView = { specs, reachable: () => new Set(), isReplaySafe: () => false, prepare: () => expect.unreachable() }
  const { run, asked } = world([answer, answer, answer, answer], [], {
    toolbox,
    toolsetsOf: (source) => (source === 'cli' ? own : undefined),
  })
  await run({ ...hello, session: { key: 'k' } })
  own = ['files']
  await run({ ...hello, session: { key: 'k' } })
  await run()
  await run({ ...hello, source: 'irc' })
  const names = asked.map(({ tools }) => tools.map(({ name }) => name))
  expect(names).toEqual([['files', 'look'], ['files', 'look'], ['files'], ['everything']])
})

test('hooks hear of a new session once, change what is asked, and what the model gets', async () => {
  const hooks = createHooks({ clock: createFakeClock(), log: silentLog })
  const started: object[] = []
  hooks.tap('session.start', { owner: 'h' }, async (event) => void started.push(event) as undefined)
  hooks.tap('turn.before', { owner: 'h' }, async () => ({ input: [{ type: 'text' as const, text: 'changed' }], instructions: 'aside' }))
  hooks.tap('model.request', { owner: 'h' }, async ({ request }) => ({ request: { ...request, temperature: 1 } }))
  const { run, asked, commits } = world([answer, answer], [], { hooks })
  await run({ ...hello, session: { key: 'k' } })
  await run({ ...hello, session: { key: 'k' } })
  expect(started).toEqual([{ session: commits[0]?.session.id, source: 'cli', provider: 'script', model: 'm' }])
  expect(asked[0]).toMatchObject({ temperature: 1, ephemeral: 'aside', messages: [{ parts: [{ text: 'changed' }] }] })
  hooks.close()
})

test('hooks hear how each call of a model and each turn ended, and nobody waits for them', async () => {
  const hooks = createHooks({ clock: createFakeClock(), log: silentLog })
  const calls: object[] = []
  const turns: object[] = []
  hooks.tap('model.end', { owner: 'h' }, async (event) => void calls.push(event) as undefined)
  hooks.tap('turn.end', { owner: 'slow' }, () => new Promise(() => undefined))
  hooks.tap('turn.end', { owner: 'h' }, async (event) => void turns.push(event) as undefined)
  const error = toWireError(fail('MODEL_BILLING', { provider: 'script', detail: 'no' }))
  const usage = { input: 7, output: 3, cacheRead: 1, cacheWrite: 0, reasoning: 0 }
  const said: readonly ModelEvent[] = [text('Hi.'), { type: 'end', reason: 'stop', usage }]
  const { run } = world([said, [{ type: 'failed', class: 'billing', error }]], [], { hooks })
  await run()
  await run()
  const about = { source: 'cli', provider: 'script', model: 'm', turn: expect.any(String), session: expect.any(String), durationMs: 0 }
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  await expect.poll(() => [calls.length, turns.length]).toEqual([2, 2])
  expect(calls).toEqual([
    { ...about, usage, stop: 'stop', firstTokenMs: 0, error: null },
    { ...about, usage: none, stop: 'stop', firstTokenMs: null, error: 'MODEL_BILLING' },
  ])
  expect(turns).toEqual([
    { ...about, status: 'complete', usage, calls: 1, error: null },
    { ...about, status: 'failed', usage: none, calls: 1, error: 'MODEL_BILLING' },
  ])
  hooks.close()
})

test('plugins are told how each call of a tool ended', async () => {
  const hooks = createHooks({ clock: createFakeClock(), log: silentLog })
  const ends: object[] = []
  hooks.tap('tool.end', { owner: 'slow' }, () => new Promise(() => undefined))
  hooks.tap('tool.end', { owner: 'h', filter: { tool: ['echo', 'nothing'] } }, async (event) => void ends.push(event) as undefined)
  const { run } = world(
    [
      [callEvent('c1'), callEvent('c2', 'nothing'), end('tool-calls')],
      [text('Done.'), end()],
    ],
    [],
    {
      hooks,
    },
  )
  await run()
  await expect.poll(() => ends.length).toBe(2)
  const about = { source: 'cli', turn: expect.any(String), session: expect.any(String), durationMs: expect.any(Number), error: null }
  expect(ends).toEqual(
    expect.arrayContaining([
      { ...about, tool: 'echo', ok: true },
      { ...about, tool: 'nothing', ok: false },
    ]),
  )
  hooks.close()
})

test('the prompt names the place, and each of the skills that can be read', async () => {
  const skills = Array.from({ length: 102 }, (_, index) => ({
    name: `skill${index}`,
    description: ['d'.repeat(161), 'e'.repeat(160)][index] ?? 'short',
  }))
  const withSkills = {
    specs: () => [{ ...spec, name: 'skill_view' }],
    reachable: () => new Set(),
    isReplaySafe: () => false,
  } as unknown as ToolView
  const offered = { skills: async () => skills, hintFor: (source: string) => `Said on ${source}.` } as never
  const { run, asked } = world([answer], [], { toolbox: withSkills, ...(offered as object) })
  await run()
  const { system = '' } = asked[0] ?? {}
  for (const part of ['Working folder: /work', 'Session started on 2023-11-14.', 'Said on cli.', 'Use tools'])
    expect(system).toContain(part)
  expect(system).toContain(`- skill0: ${'d'.repeat(159)}…\n- skill1: ${'e'.repeat(160)}\n- skill2: short\n`)
  for (const { name } of skills) expect(system).toContain(`\n- ${name}: `)
  const without = world([answer], [], { ...(offered as object) })
  await without.run()
  expect(without.asked[0]?.system).not.toContain('skill')
  const bare = world([answer], [], {
    toolbox: { specs: () => [], reachable: () => new Set(), isReplaySafe: () => false } as unknown as ToolView,
  })
  await bare.run()
  expect(bare.asked[0]?.system).not.toContain('Use tools')
})

test('a session begins with the rules that stand then and keeps them, and what was left out of them is said once', async () => {
  let written = 'Speak Latin.'
  const rules = () => ({ identity: 'You are Cato.', files: [{ path: '/work/AGENTS.md', text: written }], notes: ['One was left out.'] })
  const { run, asked } = world([answer, answer], [], { rules })
  const first = await run({ ...hello, session: { key: 'k' } })
  written = 'Speak Greek.'
  const second = await run({ ...hello, session: { key: 'k' } })
  expect(asked[0]?.system).toMatch(/^You are Cato\..*<rules file="\/work\/AGENTS\.md">\nSpeak Latin\.\n<\/rules>/s)
  expect(asked[1]?.system).toBe(asked[0]?.system)
  const notices = [first, second].map((events) => events.filter((event) => event.type === 'status').map(({ text }) => text))
  expect(notices).toEqual([['One was left out.'], []])
})

test('a session begins with what is remembered of its owner, where it may use the tool for that', async () => {
  const owners: string[] = []
  const memory = async (owner: string) => {
    owners.push(owner)
    return `Remembered of ${owner}.`
  }
  const withTools = (...names: string[]) =>
    ({
      specs: () => names.map((name) => ({ ...spec, name })),
      reachable: () => new Set(),
      isReplaySafe: () => false,
    }) as unknown as ToolView
  const remembering = world([answer], [], { memory, toolbox: withTools('echo', 'memory') })
  await remembering.run({ ...hello, owner: 'irc:ann' } as typeof hello)
  expect(remembering.asked[0]?.system).toContain('Remembered of irc:ann.')
  const without = world([answer], [], { memory, toolbox: withTools('echo') })
  await without.run(hello)
  expect(without.asked[0]?.system).not.toContain('Remembered')
  expect(owners).toEqual(['irc:ann'])
})

test('what a checkpoint has to say is told while the turn runs, and the turn is over for it at the end', async () => {
  const heard: string[] = []
  const checkpoints = {
    forTurn: ({ session, workspace, say }: { session: string; workspace: string; say: (text: string) => void }) => {
      heard.push(`${session.slice(0, 4)} ${workspace}`)
      say('No snapshot was made.')
      return { before: async () => undefined, after: async () => void heard.push('after') }
    },
  } as unknown as TurnsOptions['checkpoints']
  const { run } = world([answer], [], { checkpoints })
  const events = await run()
  expect(events.filter(({ type }) => type === 'status')).toEqual([{ type: 'status', kind: 'notice', text: 'No snapshot was made.' }])
  expect(heard).toEqual(['ses_ /work', 'after'])
})

test('usage and calls of all steps add up, for the caller and for the store', async () => {
  const { run, commits } = world([calling, answer])
  const events = await run()
  const usage = { input: 20, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  expect(events.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage, calls: 2 })
  expect(commits.at(-1)).toMatchObject({ usage, calls: 2, at: 1_700_000_000_000 })
})

test('what the model says is kept in its order, with what only its provider understands; thoughts are shown and not kept', async () => {
  const opaque: ModelEvent = { type: 'opaque', data: { sealed: 1 } }
  const { run, asked } = world([
    [{ type: 'reasoning', delta: 'Hm.' }, text('Let '), text('me.'), opaque, callEvent('a'), text('Wait.'), end('tool-calls')],
    answer,
  ])
  const events = await run()
  expect(events.find(({ type }) => type === 'reasoning.delta')).toEqual({ type: 'reasoning.delta', text: 'Hm.' })
  expect(asked[1]?.messages[1]).toEqual({
    role: 'assistant',
    parts: [
      { type: 'text', text: 'Let me.' },
      { type: 'opaque', provider: 'script', data: { sealed: 1 } },
      { type: 'call', id: 'a', name: 'echo', args: '{}' },
      { type: 'text', text: 'Wait.' },
    ],
  })
})

test('an answer of nothing is asked for again, and one that was cut at its length says so', async () => {
  const { run, asked } = world([[end()], [text('Long'), { ...end(), reason: 'length' } as ModelEvent]])
  const events = await run()
  expect(asked).toHaveLength(2)
  expect(last(events)).toMatchObject({ text: 'Long', status: 'length', stop: 'length' })
})

/** Tools that say when they start and end, and wait until they may. */
function slowTools(parallel: boolean) {
  const seen: string[] = []
  const waiting: (() => void)[] = []
  const prepare = async ({ id, name }: ToolRequest): Promise<PreparedCall> => ({
    ...{ ready: true, args: {}, preview: '', parallel, replaySafe: false, mayChangeFiles: false },
    run: async () => {
      seen.push(`start ${id}`)
      await new Promise<void>((resolve) => waiting.push(resolve))
      seen.push(`end ${id}`)
      return { outcome: { id, name, ok: true, text: id }, data: { id }, durationMs: 3 }
    },
  })
  const toolbox: ToolView = { specs: () => [spec], reachable: () => new Set(), isReplaySafe: () => false, prepare }
  return { seen, toolbox, goOn: () => waiting.shift()?.() }
}

test.each([
  ['side by side', true, ['start a', 'start b', 'end a', 'end b']],
  ['one after another', false, ['start a', 'end a', 'start b', 'end b']],
])('tools run %s as their manifests say', async (_, parallel, order) => {
  const { seen, toolbox, goOn } = slowTools(parallel)
  const { run } = world([[callEvent('a'), callEvent('b'), end('tool-calls')], answer], [], { toolbox })
  const running = run()
  for (const ended of [1, 2]) {
    await expect.poll(() => seen.filter((each) => each.startsWith('start')).length).toBe(parallel ? 2 : ended)
    goOn()
    await expect.poll(() => seen.filter((each) => each.startsWith('end')).length).toBe(ended)
  }
  const events = await running
  expect(seen).toEqual(order)
  const complete = events.filter((event) => event.type === 'tool.complete')
  expect(complete).toMatchObject([
    { id: 'a', name: 'echo', ok: true, text: 'a', result: { id: 'a' }, durationMs: 3 },
    { id: 'b', result: { id: 'b' } },
  ])
})

test('an interrupt between tools leaves the later ones not run, and the roles in order', async () => {
  const stop = new AbortController()
  const { toolbox, goOn, seen } = slowTools(false)
  const { run, commits } = world([[callEvent('a'), callEvent('b'), end('tool-calls')], answer], [], { toolbox })
  const running = run(hello, stop.signal)
  await expect.poll(() => seen).toEqual(['start a'])
  stop.abort()
  goOn()
  expect(last(await running)).toMatchObject({ status: 'interrupted' })
  expect(seen).toEqual(['start a', 'end a'])
  const messages = commits.flatMap((rows) => rows.messages)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(messages[2]).toMatchObject({
    results: [
      { id: 'a', ok: true },
      { id: 'b', ok: false },
    ],
  })
})

/** A tool that does with its turn what the test wants. */
function toolThat(does: (turn: ToolTurn) => Promise<string>): ToolView {
  const prepare = async ({ id, name }: ToolRequest, turn: ToolTurn): Promise<PreparedCall> => {
    const said = await does(turn).catch((error: { readonly code?: string }) => error.code ?? String(error))
    return { ready: false, args: {}, preview: '', done: { outcome: { id, name, ok: true, text: said }, durationMs: 0 } }
  }
  return { specs: () => [spec], reachable: () => new Set(), isReplaySafe: () => false, prepare }
}

const outcomesOf = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : []))

test('a person answers a question and an approval; what is no choice is a no', async () => {
  const given = { approval: 'session', question: 'the left one' }
  const approval = { tool: 'echo', subject: 'x', reason: 'y', choices: ['once', 'session', 'deny'] } as const
  const toolbox = toolThat(async (turn) =>
    [await turn.approve(approval), await turn.approve(approval), await turn.ask({ question: 'Which?', choices: [] })].join(', '),
  )
  const { turns } = world([calling, answer], [], { toolbox, clock: createFakeClock() })
  const events: TurnEvent[] = []
  const answers = [given.approval, 'all of them', given.question]
  for await (const event of turns.run(hello, createCall(new AbortController().signal))) {
    events.push(event)
    if (event.type === 'approval.request' || event.type === 'clarify.request') await turns.answer(event.id, answers.shift() ?? '')
  }
  expect(outcomesOf(events)).toEqual(['session, deny, the left one'])
  expect(events.find(({ type }) => type === 'approval.request')).toMatchObject({ tool: 'echo', subject: 'x', reason: 'y' })
})

test('nobody is asked where nobody can answer, and a question ends with its turn', async () => {
  const stop = new AbortController()
  const toolbox = toolThat((turn) => turn.ask({ question: 'Which?', choices: [] }))
  const { run, turns } = world([calling, answer, calling, answer], [], { toolbox, clock: createFakeClock() })
  const events = await run({ ...hello, canAnswer: false })
  expect(outcomesOf(events)).toEqual(['NOBODY_TO_ASK'])
  expect(typesOf(events)).not.toContain('clarify.request')
  const later: TurnEvent[] = []
  for await (const event of turns.run(hello, createCall(stop.signal))) {
    later.push(event)
    if (event.type === 'clarify.request') stop.abort()
  }
  expect(last(later)).toMatchObject({ status: 'interrupted' })
})

test('what was allowed for a session holds in its later turns, and in no other session', async () => {
  const known: string[][] = []
  const toolbox = toolThat(async ({ approved }) => {
    known.push([...approved])
    approved.add('recursive-delete')
    return 'done'
  })
  const { run } = world([calling, answer, calling, answer, calling, answer], [], { toolbox })
  await run({ ...hello, session: { key: 'k' } })
  await run({ ...hello, session: { key: 'k' } })
  await run({ ...hello, session: { key: 'other' } })
  expect(known).toEqual([[], ['recursive-delete'], []])
})

test('turns are counted while they run, and a session is found by its key from its first turn on', async () => {
  const { turns, commits } = world([answer])
  expect(turns.activity()).toEqual({ running: 0, finished: 0 })
  let during: unknown
  for await (const event of turns.run({ ...hello, session: { key: 'k' } }, createCall(new AbortController().signal)))
    if (event.type === 'message.start') during = [turns.activity(), await turns.keyOf(event.session)]
  await turns.settled()
  expect(during).toEqual([{ running: 1, finished: 0 }, 'k'])
  expect(turns.activity()).toEqual({ running: 0, finished: 1 })
  expect(await turns.keyOf(commits[0]?.session.id ?? '')).toBe('k')
  expect(await turns.keyOf('ses_nope')).toBeUndefined()
})

test('of two sessions that begin at once each has its key', async () => {
  const { turns } = world([answer, answer])
  const keys: unknown[] = []
  const begin = async (key: string): Promise<void> => {
    for await (const event of turns.run({ ...hello, session: { key } }, createCall(new AbortController().signal)))
      if (event.type === 'message.start') keys.push([key, await turns.keyOf(event.session)])
  }
  await Promise.all([begin('one'), begin('two')])
  expect(keys).toEqual([
    ['one', 'one'],
    ['two', 'two'],
  ])
})

test('a turn that a crash cut off goes on where it was, and is told what people add meanwhile', async () => {
  const added = [['And hurry.'], []]
  const { turns, asked } = world([answer])
  const parts = [{ type: 'call', id: 'a', name: 'echo', args: '{}' } as const, { type: 'call', id: 'b', name: 'echo', args: '{}' } as const]
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  const end = await turns.take({ ...hello, session: { key: 'k' } }, createCall(new AbortController().signal), {
    steps: [
      { type: 'model', parts, usage },
      { type: 'tool.start', id: 'a', name: 'echo', args: '{}' },
    ],
    recordStep: async () => undefined,
    steer: async () => added.shift() ?? [],
    hear: () => undefined,
  })
  const [, , tool] = asked[0]?.messages ?? []
  expect(tool).toMatchObject({
    role: 'tool',
    results: [
      { id: 'a', ok: false },
      { id: 'b', ok: true, text: expect.stringContaining('And hurry.') },
    ],
  })
  expect(end.rows).toMatchObject({ session: { create: { key: 'k', source: 'cli' } }, calls: 1 })
  await expect(
    turns.take({ ...hello, session: { key: 'k' } }, createCall(new AbortController().signal), {
      steps: [],
      recordStep: async () => undefined,
      hear: () => undefined,
    }),
  ).rejects.toMatchObject({ code: 'SESSION_WAITING' })
  end.release()
})

test('a model is told where others than the owner write', async () => {
  const { turns, asked } = world([answer, answer])
  for (const isPublic of [true, false]) for await (const _ of turns.run({ ...hello, isPublic }, createCall(new AbortController().signal)));
  expect(asked.map((request) => request.isPublic)).toEqual([true, undefined])
})
