import type { ModelEvent, ModelMessage, ToolSpec, TurnRequest } from '@agent/plugin-sdk'
import { errors } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { restoreSteps } from './client-tools.ts'
import { callEvent, end, hello, last, text, usage, world } from './testing/turn-world.ts'

const weather: ToolSpec = { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } }
const http: TurnRequest = { ...hello, source: 'api-server', canAnswer: false, session: { key: 'api-1' }, clientTools: [weather] }
const user = (said: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text: said }] })
const both: readonly ModelEvent[] = [callEvent('a'), callEvent('b', 'weather', '{"in":"Rome"}'), end('tool-calls')]
const rolesOf = (messages: readonly ModelMessage[] = []) => messages.map(({ role }) => role)
const resultsOf = (messages: readonly ModelMessage[] = []) =>
  messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ name, text: said }) => `${name}: ${said}`) : []))
/** What a client that keeps the conversation itself sends back: it knows only its call. */
const asTold = (id: string): Extract<ModelMessage, { role: 'assistant' }> => ({
  role: 'assistant',
  parts: [{ type: 'call', id, name: 'weather', args: '{"in":"Rome"}' }],
})
const sunny = (id: string) => ({ id, name: 'weather', ok: true, text: 'sunny' })

async function suspend(script: readonly (readonly ModelEvent[])[], request: TurnRequest = http) {
  const ran: string[] = []
  const w = world(script, ran)
  const { calls, stop, status } = last(await w.run(request))
  return { ...w, ran, calls, stop, status, id: calls?.[0]?.id ?? '' }
}

test("a call of the caller's tool ends the turn, and the agent's own calls of that step have run", async () => {
  const { asked, ran, calls, stop, status, commits, id } = await suspend([both])
  expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['echo', 'weather'])
  expect(asked[0]?.ephemeral).toMatch(/run where it runs: weather\. .* run in \/work on the machine of the agent/)
  expect({ ran, stop, status, calls }).toEqual({
    ran: [expect.stringMatching(/^call_/)],
    stop: 'tool-calls',
    status: 'complete',
    calls: [{ id: expect.stringMatching(/^call_/), name: 'weather', args: '{"in":"Rome"}' }],
  })
  const messages = commits.flatMap((rows) => rows.messages)
  expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool'])
  expect(messages[1]).toMatchObject({ parts: [{ id: ran[0] }, { id }] })
})

test.each([
  ['from what is stored', (id: string) => ({ ...http, input: [], results: [sunny(id)] })],
  ["from the caller's own history", (id: string) => ({ ...http, input: [], history: [user('hello'), asTold(id)], results: [sunny(id)] })],
])('the turn goes on %s, and the model sees the results of both sides', async (_from, request) => {
  const { asked, run, commits, id } = await suspend([both, [text('done'), end()]])
  expect(last(await run(request(id)))).toMatchObject({ text: 'done', status: 'complete' })
  expect(rolesOf(asked[1]?.messages)).toEqual(['user', 'assistant', 'tool'])
  expect(resultsOf(asked[1]?.messages)).toEqual(['echo: echo {}', 'weather: sunny'])
  // Each result is written down once.
  expect(resultsOf(commits.flatMap((rows) => rows.messages))).toEqual(['echo: echo {}', 'weather: sunny'])
})

test('steps of the agent alone before the call are put back too, and each once over several calls', async () => {
  const w = await suspend([
    [callEvent('a'), end('tool-calls')],
    [callEvent('b', 'weather'), end('tool-calls')],
    [callEvent('c'), callEvent('d', 'weather'), end('tool-calls')],
    [text('done'), end()],
  ])
  const first = { ...http, input: [], history: [user('hello'), asTold(w.id)], results: [sunny(w.id)] }
  const second = last(await w.run(first)).calls?.[0]?.id ?? ''
  const history: readonly ModelMessage[] = [...first.history, { role: 'tool', results: first.results }, asTold(second)]
  expect(last(await w.run({ ...http, input: [], history, results: [sunny(second)] })).text).toBe('done')
  expect(resultsOf(w.asked[3]?.messages)).toEqual(['echo: echo {}', 'weather: sunny', 'echo: echo {}', 'weather: sunny'])
  expect(new Set(w.ran).size).toBe(2)
})

test('a caller that sends back the calls of the agent too, in one message or in several, makes nothing be told twice', async () => {
  const w = await suspend([
    [text('I look. '), callEvent('a'), callEvent('b', 'weather', '{"in":"Rome"}'), end('tool-calls')],
    ...Array(2).fill([text('done'), end()]),
  ])
  const own = w.ran[0] ?? ''
  const begun: ModelMessage = {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'I look. ' },
      { type: 'call', id: own, name: 'echo', args: '{}' },
    ],
  }
  const ownResult: ModelMessage = { role: 'tool', results: [{ id: own, name: 'echo', ok: true, text: 'echo {}' }] }
  const whole: ModelMessage = { role: 'assistant', parts: [...begun.parts, ...asTold(w.id).parts] }
  for (const [index, history] of [
    [user('hello'), begun, ownResult, asTold(w.id)],
    [user('hello'), whole, ownResult],
  ].entries()) {
    expect(last(await w.run({ ...http, input: [], history, results: [sunny(w.id)] })).text).toBe('done')
    const told = w.asked[index + 1]?.messages ?? []
    expect(rolesOf(told)).toEqual(['user', 'assistant', 'tool'])
    expect(resultsOf(told)).toEqual(['echo: echo {}', 'weather: sunny'])
    expect(JSON.stringify(told).match(/I look/g)).toHaveLength(1)
  }
})

test('history that this program never saw is told as it was sent', async () => {
  const { run, asked } = world([[text('done'), end()]])
  const history = [user('hello'), asTold('foreign')]
  expect(last(await run({ ...http, input: [], history, results: [sunny('foreign')] })).text).toBe('done')
  expect(resultsOf(asked[0]?.messages)).toEqual(['weather: sunny'])
})

test('a call that stands twice in a history is told once, with its last result', async () => {
  const { run, asked } = world([[text('done'), end()]])
  const twice: ModelMessage = { role: 'assistant', parts: [...asTold('x').parts, ...asTold('x').parts] }
  await run({ ...http, input: [], history: [user('hello'), twice], results: [{ ...sunny('x'), text: 'rain' }, sunny('x')] })
  expect(asked[0]?.messages[1]).toEqual(asTold('x'))
  expect(resultsOf(asked[0]?.messages)).toEqual(['weather: sunny'])
})

test('a result that belongs to no call is refused', async () => {
  const { run } = world([])
  await expect(run({ ...http, input: [], results: [sunny('x')] })).rejects.toMatchObject({ code: 'RESULT_UNCLAIMED' })
})

test('with `store: false` nothing is written down, and the turn goes on all the same', async () => {
  const unstored = { ...http, store: false }
  const { run, asked, commits, id } = await suspend([both, [text('done'), end()]], unstored)
  const history = [user('hello'), asTold(id)]
  expect(last(await run({ ...unstored, input: [], history, results: [sunny(id)] })).text).toBe('done')
  expect(resultsOf(asked[1]?.messages)).toEqual(['echo: echo {}', 'weather: sunny'])
  expect(commits).toEqual([])
  expect((await run({ ...hello, store: false }))[0]).toMatchObject({ type: 'message.start', session: '' })
})

test("the caller's tool takes the place of the agent's of the same name", async () => {
  const { asked, calls, ran } = await suspend([[callEvent('a'), end('tool-calls')]], {
    ...http,
    clientTools: [{ ...weather, name: 'echo' }],
  })
  expect(asked[0]?.tools).toEqual([{ ...weather, name: 'echo' }])
  expect([calls?.map(({ name }) => name), ran]).toEqual([['echo'], []])
})

test('`agentTools: false` leaves only what the caller brings', async () => {
  const { asked, ran } = await suspend(
    [
      [callEvent('a'), end('tool-calls')],
      [text('done'), end()],
    ],
    { ...http, agentTools: false },
  )
  expect(asked[0]?.tools).toEqual([weather])
  expect(ran).toEqual([])
})

test.each([['required' as const], [{ name: 'weather' }]])(
  'a choice of %j leaves what may be called and asks once more',
  async (toolChoice) => {
    const more = { ...http, clientTools: [weather, { ...weather, name: 'news' }], toolChoice }
    const { asked, calls, commits } = await suspend([[text('no'), end()], both.slice(1)], more)
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(toolChoice === 'required' ? ['weather', 'news'] : ['weather'])
    expect(asked[0]?.toolChoice).toEqual(toolChoice)
    expect(calls).toHaveLength(1)
    expect(rolesOf(commits.flatMap((rows) => rows.messages))).toEqual(['user', 'assistant'])
    const stubborn = world([
      [text('no'), end()],
      [text('still no'), end()],
    ])
    expect(await stubborn.run(more)).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ code: 'ANSWER_MISFORMED' }) }),
    )
  },
)

test('a choice of a tool that is not offered is refused', async () => {
  await expect(world([]).run({ ...http, toolChoice: { name: 'none' } })).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' })
})

test('with the choice `none` nothing is run', async () => {
  const { asked, ran, calls } = await suspend([both, [text('done'), end()]], { ...http, toolChoice: 'none' })
  expect([ran, calls]).toEqual([[], undefined])
  const reason = 'the request allows no tool calls. Answer in words'
  expect(resultsOf(asked[1]?.messages)[0]).toBe(`echo: ${errors.TOOL_CALL_REFUSED.text({ tool: 'echo', reason })}`)
})

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false } as const
const formed: TurnRequest = { ...hello, session: { key: 'f' }, responseFormat: { type: 'json-schema', name: 'place', schema } }

test('an answer of the wrong form is asked for once more, and only the right one is shown and stored', async () => {
  const { run, asked, commits } = world([
    [text('Rome'), end()],
    [text('```json\n{"city":"Rome"}\n```'), end()],
  ])
  const events = await run(formed)
  expect(asked[0]?.ephemeral).toMatch(/JSON Schema \("place"\)/)
  expect(asked[1]?.messages.at(-1)).toMatchObject({ parts: [{ text: expect.stringMatching(/not valid JSON/) }] })
  expect(events.filter(({ type }) => type === 'message.delta')).toEqual([{ type: 'message.delta', text: '{"city":"Rome"}' }])
  expect(last(events).text).toBe('{"city":"Rome"}')
  expect(commits.flatMap((rows) => rows.messages).slice(1)).toEqual([
    { role: 'assistant', parts: [{ type: 'text', text: '{"city":"Rome"}' }] },
  ])
})

test('an answer that misses its form twice is an error that says why', async () => {
  const { run } = world([
    [text('{"city":5}'), end()],
    [text('{}'), end()],
  ])
  const events = await run(formed)
  expect(events).toContainEqual(expect.objectContaining({ type: 'error', error: expect.objectContaining({ code: 'ANSWER_MISFORMED' }) }))
  expect(events.filter(({ type }) => type === 'message.delta')).toEqual([])
})

test('a schema that cannot be checked is refused before the model is asked', async () => {
  const { run, asked } = world([])
  const responseFormat = { type: 'json-schema', name: 'x', schema: { type: 'nonsense' } } as const
  await expect(run({ ...formed, responseFormat })).rejects.toMatchObject({ code: 'RESPONSE_FORMAT' })
  expect(asked).toEqual([])
})

test('what the output limit cuts off is not run, whatever became of its arguments', async () => {
  const cut: ModelEvent = { type: 'end', reason: 'length', usage }
  const { run, asked } = world([
    [callEvent('a', 'echo', '{"say":"a'), callEvent('b'), cut],
    [text('shorter'), end()],
  ])
  const events = await run()
  expect(last(events).text).toBe('shorter')
  expect(resultsOf(asked[1]?.messages)).toEqual([
    expect.stringMatching(/echo: .* not run: the output limit cut it off/),
    expect.stringMatching(/echo: .* not run: the output limit cut it off/),
  ])
  expect(events.filter(({ type }) => type === 'tool.complete')).toHaveLength(2)
})

test('a call is cut off also where something that only its vendor reads comes after it', async () => {
  const cut: ModelEvent = { type: 'end', reason: 'length', usage }
  const ran: string[] = []
  await world(
    [
      [callEvent('a'), { type: 'opaque', data: 1 }, cut],
      [text('shorter'), end()],
    ],
    ran,
  ).run()
  expect(ran).toEqual([])
})

test('a model that meets the output limit twice in a row is not asked again', async () => {
  const cut: ModelEvent = { type: 'end', reason: 'length', usage }
  const long = [callEvent('a', 'echo', '{"say":"a'), cut]
  const { run, asked } = world([long, long, [text('never'), end()]])
  expect(last(await run())).toMatchObject({ status: 'length', stop: 'length' })
  expect(asked).toHaveLength(2)
})

test('a server that speaks of calls and makes none has ended', async () => {
  expect(last(await world([[text('done'), end('tool-calls')]]).run())).toMatchObject({ text: 'done', stop: 'stop' })
})

test("a call of the caller's tool that was cut off is not handed out", async () => {
  const cut: ModelEvent = { type: 'end', reason: 'length', usage }
  const { calls, asked } = await suspend([
    [callEvent('a', 'weather', ''), cut],
    [text('done'), end()],
  ])
  expect(calls).toBeUndefined()
  expect(resultsOf(asked[1]?.messages)).toEqual([expect.stringMatching(/cut it off/)])
})

test('of two calls with one id the second is not run, and each has its own result', async () => {
  const ran: string[] = []
  const { run, asked } = world([[callEvent('a'), callEvent('a'), end('tool-calls')], [callEvent('a'), end('tool-calls')], [end()]], ran)
  await run()
  expect(asked[1]?.messages.at(-1)).toEqual({
    role: 'tool',
    results: [
      { id: 'a', name: 'echo', ok: true, text: 'echo {}' },
      { id: 'a_2', name: 'echo', ok: false, text: expect.stringMatching(/not run: another call of the same step has the same id/) },
    ],
  })
  // Another step may use the id again; the conversation keeps them apart.
  expect(ran).toEqual(['a', 'a_3'])
})

test('a step of which one call was put back and another is not known stays as it was sent', () => {
  const toolOf = (id: string): ModelMessage => ({ role: 'tool', results: [sunny(id)] })
  const both: ModelMessage = { role: 'assistant', parts: [...asTold('a').parts, ...asTold('x').parts] }
  const stored = [user('one'), asTold('a'), toolOf('a')]
  expect(restoreSteps([user('one'), asTold('a'), both], stored)).toEqual([user('one'), asTold('a'), toolOf('a'), both])
  expect(restoreSteps([user('one'), asTold('a'), asTold('a')], stored)).toEqual([user('one'), asTold('a'), toolOf('a')])
})

test('a step without results is put back without any', () => {
  expect(restoreSteps([user('one'), asTold('a')], [user('one'), asTold('a')])).toEqual([user('one'), asTold('a')])
})

test('of a history in another order, only what comes in order is put back', () => {
  const toolOf = (id: string): ModelMessage => ({ role: 'tool', results: [sunny(id)] })
  const stored = [user('one'), asTold('a'), toolOf('a'), user('two'), asTold('b'), toolOf('b')]
  expect(restoreSteps([user('two'), asTold('b'), user('one'), asTold('a')], stored)).toEqual([
    ...[user('two'), asTold('b'), toolOf('b')],
    ...[user('one'), asTold('a')],
  ])
})
