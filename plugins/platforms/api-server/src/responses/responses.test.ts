import type { ModelMessage, TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { counted, ended, greeting, jsonOf, openDoor, overloaded, play, type Script, started, textOf } from '../../test/test-door.ts'
import type { ResponseObject } from '../door/response-object.ts'
import type { Settings } from '../door/settings.ts'
import { failureReply } from '../wire/failure.ts'

const toolCall = (id: string): TurnEvent => ({ type: 'tool.start', id, name: 'terminal', args: { command: id }, preview: id })
const toolDone = (id: string, ok = true): TurnEvent => ({
  type: 'tool.complete',
  id,
  name: 'terminal',
  ok,
  text: `out ${id}`,
  durationMs: 1,
})
const withTools: readonly TurnEvent[] = [
  started,
  { type: 'message.delta', text: 'I look.' },
  toolCall('c1'),
  toolCall('c2'),
  toolDone('c2', false),
  toolDone('c1'),
  { type: 'message.delta', text: 'Done.' },
  counted,
  ended('Done.'),
]

function openResponses(script: Script = () => play(greeting), given: Partial<Settings> = {}) {
  const heard: TurnRequest[] = []
  const door = openDoor((request, call) => {
    heard.push(request)
    return script(request, call)
  }, given)
  const ask = (body: object, headers: Record<string, string> = {}) => door.ask({ path: '/v1/responses', body, headers })
  const create = async (body: object, headers: Record<string, string> = {}): Promise<ResponseObject> =>
    (await jsonOf(await ask(body, headers))) as ResponseObject
  return { ...door, ask, create, heard, historyOf: (turn: number): readonly ModelMessage[] => heard[turn]?.history ?? [] }
}

const said = (role: string, text: string): object => ({ role, parts: [{ type: 'text', text }] })

test('where another model stands in the response names it', async () => {
  const [, ...rest] = greeting
  const { create } = openResponses(() =>
    play([started, { type: 'status', kind: 'fallback', text: 'far is gone.', model: 'near/small' }, ...rest]),
  )
  expect(await create({ input: 'look', model: 'agent' })).toMatchObject({ status: 'completed', model: 'near/small' })
})

test('a chained request tells the model all that was said and done, in one session', async () => {
  const { create, heard, historyOf } = openResponses(() => play(withTools))
  const first = await create({ input: 'look', instructions: 'Be brief.' })
  const second = await create({ input: 'again', previous_response_id: first.id })
  await create({ input: 'and?', previous_response_id: second.id, instructions: 'Be long.' })
  expect(historyOf(1)).toEqual([
    said('user', 'look'),
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'I look.' },
        { type: 'call', id: 'c1', name: 'terminal', args: '{"command":"c1"}' },
        { type: 'call', id: 'c2', name: 'terminal', args: '{"command":"c2"}' },
      ],
    },
    {
      role: 'tool',
      results: [
        { id: 'c2', name: 'terminal', ok: false, text: 'out c2' },
        { id: 'c1', name: 'terminal', ok: true, text: 'out c1' },
      ],
    },
    said('assistant', 'Done.'),
  ])
  expect(historyOf(2)).toHaveLength(8)
  expect(heard.map(({ instructions }) => instructions)).toEqual(['Be brief.', 'Be brief.', 'Be long.'])
  expect(new Set(heard.map(({ session }) => JSON.stringify(session))).size).toBe(1)
})

test('a named conversation goes on from its latest answer that is whole', async () => {
  let events: readonly TurnEvent[] = greeting
  const { create, ask, heard, historyOf } = openResponses(() => play(events))
  await create({ input: 'one', conversation: 'ours' })
  events = [started, overloaded, ended('', 'failed')]
  await textOf(await ask({ input: 'two', conversation: { id: 'ours' }, stream: true }))
  events = greeting
  await create({ input: 'three', conversation: 'ours' })
  await create({ input: 'one', conversation: 'theirs' })
  expect(historyOf(2)).toEqual([said('user', 'one'), said('assistant', 'hi')])
  expect(historyOf(3)).toEqual([])
  expect(heard[2]?.session).toEqual(heard[0]?.session)
  expect(heard[3]?.session).not.toEqual(heard[0]?.session)
})

test('history in the request wins over that of the previous response, and messages in the input come after it', async () => {
  const { create, historyOf, heard } = openResponses()
  const first = await create({ input: 'one' })
  const input = [
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', content: 'b' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'c' }] },
    { content: 'd' },
  ]
  const conversation_history = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'x' },
  ]
  await create({ input, previous_response_id: first.id, conversation_history })
  expect(historyOf(1)).toEqual([said('user', 'a'), said('assistant', 'x'), said('user', 'b'), said('assistant', 'c')])
  expect(heard[1]).toMatchObject({ instructions: 'Be brief.\nBe kind.', input: [{ type: 'text', text: 'd' }] })
})

test('items of earlier responses are read when they are sent back, whole or by reference', async () => {
  const { create, historyOf, heard } = openResponses(() => play(withTools))
  const { output } = await create({ input: 'look' })
  const references = output.map(({ id }) => ({ type: 'item_reference', id }))
  await create({ input: [{ role: 'user', content: 'look' }, ...output, { type: 'reasoning', id: 'rs_1' }, 'next'] })
  await create({ input: [{ role: 'user', content: 'look' }, ...references, 'next'] })
  expect(historyOf(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'])
  expect(historyOf(2)).toHaveLength(6)
  expect(JSON.stringify(historyOf(2))).toContain('out c2')
  const calls = [
    { type: 'function_call', call_id: 'c1', name: 'terminal', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'seen' },
    { type: 'function_call_output', call_id: 'unknown', output: 'lost' },
  ]
  await create({ input: ['look', ...calls, 'next'] })
  expect(historyOf(3).slice(1)).toEqual([{ role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'terminal', args: '{}' }] }])
  // The host pairs them: their calls may stand in an earlier response.
  expect(heard[3]?.results).toMatchObject([
    { id: 'c1', name: 'terminal', ok: true, text: 'seen' },
    { id: 'unknown', text: 'lost' },
  ])
})

test('an item carries the id of a call that the agent named, and is known by it when it comes back', async () => {
  const id = 'call_01m833c4sz3yg1p47a3x6gz'
  const { create, historyOf } = openResponses(() => play([started, toolCall(id), toolDone(id), ended('Done.')]))
  const { output } = await create({ input: 'look' })
  await create({ input: ['look', ...output, 'next'] })
  await create({ input: ['look', ...output.map((item) => ({ type: 'item_reference', id: item.id })), 'next'] })
  const told = [
    { role: 'assistant', parts: [{ type: 'call', id, name: 'terminal' }] },
    { role: 'tool', results: [{ id }] },
  ]
  expect([historyOf(1), historyOf(2)]).toMatchObject(Array(2).fill([said('user', 'look'), ...told, said('assistant', 'Done.')]))
})

test('items of tools that clients run are read, and what says nothing to another model is passed over', async () => {
  const { create, historyOf, heard } = openResponses()
  const items = [
    { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '*** Begin' },
    { type: 'local_shell_call', call_id: 'c2', action: { type: 'exec', command: ['ls'] } },
    { type: 'shell_call', call_id: 'c3', action: { commands: ['ls'] } },
    { type: 'apply_patch_call', call_id: 'c4', operation: { type: 'delete_file', path: 'a' } },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'compaction', encrypted_content: 'x' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'patched' },
    { type: 'local_shell_call_output', call_id: 'c2', output: '{"output":"a"}' },
    { type: 'shell_call_output', call_id: 'c3', output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
    { type: 'apply_patch_call_output', call_id: 'c4', status: 'completed', output: 'deleted' },
  ]
  await create({ input: ['look', ...items], reasoning: { effort: 'max' } })
  expect(historyOf(0)[1]).toEqual({
    role: 'assistant',
    parts: [
      { type: 'call', id: 'c1', name: 'patch', args: '{"input":"*** Begin"}' },
      { type: 'call', id: 'c2', name: 'local_shell', args: '{"type":"exec","command":["ls"]}' },
      { type: 'call', id: 'c3', name: 'shell', args: '{"commands":["ls"]}' },
      { type: 'call', id: 'c4', name: 'apply_patch', args: '{"type":"delete_file","path":"a"}' },
    ],
  })
  expect(heard[0]).toMatchObject({
    input: [],
    reasoning: 'xhigh',
    results: [{ text: 'patched' }, { text: '{"output":"a"}' }, { text: expect.stringContaining('"stdout":"a"') }, { text: 'deleted' }],
  })
})

test('an item of every type that the vendor has may come back', async () => {
  const { create, heard } = openResponses()
  const types =
    'file_search_call computer_call computer_call_output web_search_call tool_search_call tool_search_output additional_tools reasoning compaction image_generation_call code_interpreter_call mcp_list_tools mcp_approval_request mcp_approval_response compaction_trigger program program_output'
  await create({
    input: ['look', ...types.split(' ').map((type) => ({ type, id: 'x', call_id: 'x', output: { type: 'screenshot' }, action: {} }))],
  })
  expect(heard).toMatchObject([{ input: [{ text: 'look' }] }])
})

test('truncation keeps the last hundred messages, from something the user said', async () => {
  const { create, historyOf } = openResponses()
  const conversation_history = Array.from({ length: 131 }, (_, index) => ({ role: index % 2 ? 'user' : 'assistant', content: `${index}` }))
  await create({ input: 'x', conversation_history, truncation: 'auto' })
  await create({ input: 'x', conversation_history })
  expect(historyOf(0)).toHaveLength(100)
  expect(historyOf(0)[0]).toEqual(said('user', '31'))
  expect(historyOf(1)).toHaveLength(131)
})

test('with a session id the stored session goes on, and so does what is chained to it', async () => {
  const { create, heard } = openResponses(undefined, { key: 'k' })
  const known = { authorization: 'Bearer k' }
  const first = await create({ input: 'one' }, { ...known, 'x-agent-session-id': 'ses_7' })
  await create({ input: 'two', previous_response_id: first.id }, known)
  expect(heard.map(({ session, history }) => [session, history])).toEqual([
    [{ id: 'ses_7' }, undefined],
    [{ id: 'ses_7' }, undefined],
  ])
})

test.each([
  ['function_call', ['message', 'function_call', 'function_call', 'function_call_output', 'function_call_output', 'message']],
  ['none', ['message']],
] as const)('tools are shown as the configuration says: %s', async (toolItems, types) => {
  const { ask, create } = openResponses(() => play(withTools), { toolItems })
  const { output } = await create({ input: 'look' })
  expect(output.map(({ type }) => type).sort()).toEqual([...types].sort())
  expect(output.every(({ status }) => status === 'completed')).toBe(true)
  const lines = await textOf(await ask({ input: 'look', stream: true }))
  expect(lines.includes('response.function_call_arguments.done')).toBe(toolItems === 'function_call')
  expect(lines).not.toContain('mcp_call')
})

test('reasoning is a separate item where it is shown', async () => {
  const events: readonly TurnEvent[] = [started, { type: 'reasoning.delta', text: 'hm' }, ...greeting.slice(1)]
  const shown = await openResponses(() => play(events), { showReasoning: true }).create({ input: 'x' })
  expect(shown.output).toMatchObject([{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] }, { type: 'message' }])
  expect((await openResponses(() => play(events)).create({ input: 'x' })).output).toHaveLength(1)
})

test.each([
  ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
  ['content-filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
] as const)('an answer that was cut says so: %s', async (stop, expected) => {
  const { create } = openResponses(() => play([started, { type: 'message.complete', text: 'half', status: 'complete', stop }]))
  expect(await create({ input: 'x' })).toMatchObject({ ...expected, output: [{ status: 'incomplete' }] })
})

test('a failure after some text keeps it, and a turn without an end has failed', async () => {
  const half: readonly TurnEvent[] = [started, { type: 'message.delta', text: 'half' }]
  const broken = await openResponses(() => play([...half, overloaded, ended('', 'failed')])).create({ input: 'x' })
  expect(broken).toMatchObject({ status: 'failed', error: { code: 'model_overloaded' }, output: [{ status: 'incomplete' }] })
  expect(await openResponses(() => play(half)).create({ input: 'x' })).toMatchObject({ status: 'failed', error: { code: 'internal' } })
})

test('a response that is being written can be read and deleted, and not yet be gone on from', async () => {
  let finish = (): void => {}
  const { ask, get } = openResponses(async function* () {
    yield started
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    yield* greeting.slice(1)
  })
  const reply = await ask({ input: 'x', stream: true })
  expect(await jsonOf(await get('/v1/responses/resp_1'))).toMatchObject({ status: 'in_progress', output: [] })
  const early = await ask({ input: 'y', previous_response_id: 'resp_1' })
  expect(await jsonOf(early)).toMatchObject({ error: { code: 'response_pending' } })
  expect(early).toMatchObject(failureReply(fail('HTTP_RESPONSE_PENDING', { response: 'resp_1' })))
  expect(await jsonOf(await get('/v1/responses/resp_1', 'DELETE'))).toEqual({ id: 'resp_1', object: 'response', deleted: true })
  finish()
  expect(await textOf(reply)).toContain('response.completed')
  expect((await get('/v1/responses/resp_1')).status).toBe(404)
})

test.each([
  ['no input', {}, 400, 'invalid_request', 'input'],
  ['input of another type', { input: 5 }, 400, 'invalid_request', 'input'],
  ['an empty input', { input: '' }, 400, 'invalid_request', 'input'],
  ['a list without a user', { input: [{ role: 'assistant', content: 'x' }] }, 400, 'invalid_request', 'input'],
  ['an item that is none', { input: [5] }, 400, 'invalid_request', 'input.0'],
  ['an unknown item', { input: [{ type: 'hologram' }] }, 400, 'invalid_content_part', 'input.0'],
  ['a call without a name', { input: [{ type: 'function_call', call_id: 'c' }] }, 400, 'invalid_request', 'input.0.name'],
  [
    'a call with an object',
    { input: [{ type: 'function_call', call_id: 'c', name: 'n', arguments: {} }] },
    400,
    'invalid_request',
    'input.0.arguments',
  ],
  ['a result in the form of a chat', { input: ['x', { role: 'tool', content: 'y' }] }, 400, 'invalid_request', 'input.1.role'],
  ['an item that is not stored', { input: [{ type: 'item_reference', id: 'msg_0' }] }, 404, 'not_found', 'input.0.id'],
  ['a file', { input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, 400, 'unsupported_content_type', 'input.0.content.0'],
  [
    'an image on a disk',
    { input: [{ content: [{ type: 'input_image', image_url: 'file:///x' }] }] },
    400,
    'invalid_image_url',
    'input.0.content.0',
  ],
  [
    'history of another shape',
    { input: 'x', conversation_history: [{ role: 'robot' }] },
    400,
    'invalid_request',
    'conversation_history.0.role',
  ],
  ['an unknown truncation', { input: 'x', truncation: 'some' }, 400, 'invalid_request', 'truncation'],
])('%s is refused by place', async (_what, body, status, code, param) => {
  const reply = await openResponses().ask(body)
  expect([reply.status, await jsonOf(reply)]).toMatchObject([status, { error: { code, param } }])
})

test('images are read in the shape of responses', async () => {
  const { create, heard } = openResponses()
  const content = [
    { type: 'input_text', text: 'see' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
  ]
  await create({ input: [{ role: 'user', content }] })
  expect(heard[0]?.input).toEqual([
    { type: 'text', text: 'see' },
    { type: 'image', url: 'data:image/png;base64,AAAA' },
  ])
})
