// @module-tag server
import { expect, test } from 'vitest'
import type { EventFrame, SessionEvent } from '#rpc/protocol.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'

const isType =
  (type: SessionEvent['type']) =>
  (event: SessionEvent): boolean =>
    event.type === type
const isIdle = (event: SessionEvent): boolean => event.type === 'session.status' && event.status === 'idle'
const typesOf = (frames: readonly EventFrame[]): readonly string[] => frames.map(({ event }) => event.type)
const textOf = (frames: readonly EventFrame[]): string =>
  frames.map(({ event }) => (event.type === 'message.delta' ? event.text : '')).join('')
const sentence = 'offline-1 offline-2 offline-3'

async function start(client: ChatClient): Promise<string> {
  return (await client.call('session.create', {})).session_id
}

/** Says something and waits for the end of its turn. */
async function say(client: ChatClient, session_id: string, text: string, id = text): Promise<void> {
  const before = client.frames.length
  await client.call('prompt.submit', { session_id, text, id })
  await client.until((event) => isIdle(event) && client.frames.findLastIndex((frame) => frame.event === event) >= before)
}

proves(
  ['dashboard.ws.gateway', 'dashboard.methods.session-create', 'event.message.complete'],
  'two browsers on one session see the same log, one of them from the middle',
  async () => {
    await using stage = await openChatStage()
    const [one, two] = [stage.connect(), stage.connect()]
    const session_id = await start(one)
    const { events, status } = await two.call('session.resume', { session_id })
    expect({ events, status }).toEqual({ events: [], status: 'idle' })
    await say(one, session_id, 'stream 3 tokens')
    await two.until(isIdle)
    expect(two.frames).toEqual(one.frames)
    expect(typesOf(one.frames).slice(0, 3)).toEqual(['prompt.accepted', 'session.status', 'message.start'])
    expect(one.frames.map(({ seq }) => seq)).toEqual(one.frames.map((_, index) => index + 1))
    expect(one.events()).toContainEqual(expect.objectContaining({ type: 'message.complete', text: expect.stringContaining(sentence) }))
    const third = await stage.connect().call('session.resume', { session_id })
    expect(third.events).toEqual(one.frames)
  },
)

test('an agent is opened by the first chat method and not by a visitor', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  expect((await client.call('ping', {})).at).toBeGreaterThan(1_700_000_000_000)
  expect(await client.call('setup.status', {})).toEqual({ provider_configured: true })
  expect(stage.isOpened()).toBe(false)
  await start(client)
  expect(stage.isOpened()).toBe(true)
})

test.each(['nobody', '../default', ''])('a profile "%s" that does not exist is told, and nothing is made for it', async (profile) => {
  await using stage = await openChatStage()
  const client = stage.connect({ query: `&profile=${profile}` })
  const error = { code: -32000, data: { code: 'PROFILE_NOT_FOUND' } }
  expect(await client.fails('session.create', {})).toMatchObject(error)
  expect(await client.fails('setup.status', {})).toMatchObject(error)
  expect(stage.isOpened()).toBe(false)
})

test('an isolated dashboard serves its own profile alone', async () => {
  await using stage = await openChatStage({ isolated: true })
  expect(await stage.connect({ query: '&profile=other' }).fails('session.create', {})).toMatchObject({
    data: { code: 'PROFILE_NOT_FOUND' },
  })
  expect(await start(stage.connect({ query: '&profile=default' }))).toMatch(/^ses_/)
})

test('a socket that dies in the middle of a stream loses no event and doubles none', async () => {
  await using stage = await openChatStage()
  const one = stage.connect()
  const session_id = await start(one)
  await one.call('prompt.submit', { session_id, text: 'stream 40 tokens every 5 ms', id: 'a' })
  await one.until(isType('message.delta'))
  one.socket.terminate()
  await one.closed
  const had = one.frames.length
  const two = stage.connect()
  const { events, gap } = await two.call('session.events.since', { session_id, seq: one.frames.at(-1)?.seq ?? 0 })
  expect(gap).toBe(false)
  if (!events.some(({ event }) => isIdle(event))) await two.until(isIdle)
  const all = [...one.frames.slice(0, had), ...events, ...two.frames]
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
  expect(textOf(all).trim()).toBe(Array.from({ length: 40 }, (_, index) => `offline-${index + 1}`).join(' '))
})

test('a page that is loaded again while a tool runs shows the same bubbles, and so does one after a restart', async () => {
  await using stage = await openChatStage()
  const one = stage.connect()
  const session_id = await start(one)
  await one.call('prompt.submit', { session_id, text: 'ask Which? red | blue', id: 'a' })
  const question = await one.until(isType('clarify.request'))
  const two = stage.connect()
  const resumed = await two.call('session.resume', { session_id })
  expect(resumed.status).toBe('waiting')
  expect(resumed.events).toEqual(one.frames.slice(0, resumed.events.length))
  if (question.type !== 'clarify.request') throw new Error('no question')
  expect(await two.call('approval.respond', { request_id: question.id, choice: 'once' })).toEqual({ answered: false })
  expect(await two.call('clarify.respond', { request_id: question.id, text: 'blue' })).toEqual({ answered: true })
  expect(await one.call('clarify.respond', { request_id: question.id, text: 'red' })).toEqual({ answered: false })
  await Promise.all([one.until(isIdle), two.until(isIdle)])
  expect(one.events()).toContainEqual({ type: 'request.closed', id: question.id, answer: 'blue' })
  expect([...resumed.events, ...two.frames]).toEqual(one.frames)
  const last = one.frames.at(-1)?.seq ?? 0
  await stage.restart()
  const three = stage.connect()
  expect(await three.call('session.events.since', { session_id, seq: last })).toEqual({ events: [], gap: true })
  const again = await three.call('session.resume', { session_id })
  expect(typesOf(again.events)).toEqual([
    ...['prompt.accepted', 'message.start', 'tool.start', 'tool.complete', 'message.delta', 'message.complete'],
  ])
  expect(textOf(again.events)).toBe(textOf(one.frames))
  await say(three, session_id, 'stream 1 tokens', 'b')
  expect(three.events()[0]).toMatchObject({ type: 'prompt.accepted', ordinal: 1 })
})

proves(['event.tool.start', 'event.tool.complete'], 'a tool is told with its arguments and its result', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  await say(client, session_id, 'plan one; two')
  const started = client.events().find(isType('tool.start'))
  const done = client.events().find(isType('tool.complete'))
  expect(started).toMatchObject({ name: 'todo', args: { todos: [{ content: 'one' }, { content: 'two' }] } })
  expect(done).toMatchObject({ name: 'todo', ok: true })
  expect(done && 'id' in done && started && 'id' in started && done.id === started.id).toBe(true)
})

test('prompts wait for their turn in order, and the same id twice is one prompt', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  const submit = (text: string, id: string) => client.call('prompt.submit', { session_id, text, id })
  const results = await Promise.all([
    submit('stream 5 tokens every 5 ms', 'a'),
    submit('stream 2 tokens', 'b'),
    submit('stream 2 tokens', 'b'),
  ])
  expect(results.map(({ ordinal }) => ordinal)).toEqual([0, 1, 1])
  await client.until(isIdle)
  expect(await submit('stream 2 tokens', 'a')).toEqual({ accepted: true, ordinal: 0 })
  const told = client.events().filter(({ type }) => ['prompt.queued', 'prompt.accepted', 'message.complete'].includes(type))
  expect(told.map((event) => `${event.type} ${'ordinal' in event ? event.ordinal : ''}`.trim())).toEqual([
    ...['prompt.accepted 0', 'prompt.queued 1', 'message.complete', 'prompt.accepted 1', 'message.complete'],
  ])
})

test('an interrupt ends the turn and lets the next prompt begin', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  expect(await client.call('session.interrupt', { session_id })).toEqual({ interrupted: false })
  await client.call('prompt.submit', { session_id, text: 'stream 100000 tokens every 5 ms', id: 'a' })
  await client.call('prompt.submit', { session_id, text: 'stream 3 tokens', id: 'b' })
  await client.until(isType('message.delta'))
  expect(await client.call('session.interrupt', { session_id })).toEqual({ interrupted: true })
  await client.until(isIdle)
  const ends = client.events().flatMap((event) => (event.type === 'message.complete' ? [event.status] : []))
  expect(ends).toEqual(['interrupted', 'complete'])
})

test('a child agent is stopped by its id, and what it works for goes on', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  const text = `call delegate_task ${JSON.stringify({ tasks: [{ goal: 'stream 100000 tokens every 5 ms' }, { goal: 'stream 2 tokens' }] })}`
  await client.call('prompt.submit', { session_id, text, id: 'a' })
  const child = await client.until((event) => event.type === 'subagent.start' && event.goal.includes('100000'))
  const subagent_id = child.type === 'subagent.start' ? child.id : ''
  const stop = (id: string, session = session_id) => client.call('subagent.interrupt', { session_id: session, subagent_id: id })
  expect([await stop('sub_nobody'), await stop(subagent_id, 'ses_other')]).toEqual([{ interrupted: false }, { interrupted: false }])
  expect(await stop(subagent_id)).toEqual({ interrupted: true })
  await client.until(isIdle)
  const ends = client.events().flatMap((event) => (event.type === 'subagent.complete' ? [`${event.goal}: ${event.status}`] : []))
  expect(ends.toSorted()).toEqual(['stream 100000 tokens every 5 ms: interrupted', 'stream 2 tokens: completed'])
  expect(client.events()).toContainEqual(expect.objectContaining({ type: 'message.complete', status: 'complete' }))
  expect(await stop(subagent_id)).toEqual({ interrupted: false })
})

test('an approval is asked, takes only what it offers, and lets the command run', async () => {
  await using stage = await openChatStage({ config: 'model: { provider: offline, default: offline }\nterminal: { sandbox: "off" }\n' })
  const client = stage.connect()
  const session_id = await start(client)
  await client.call('prompt.submit', { session_id, text: 'run rm -rf /nowhere-at-all', id: 'a' })
  const asked = await client.until(isType('approval.request'))
  if (asked.type !== 'approval.request') throw new Error('nothing was asked')
  expect(await client.fails('approval.respond', { request_id: asked.id, choice: 'forever' })).toMatchObject({ code: -32602 })
  expect(await client.fails('clarify.respond', { request_id: asked.id })).toMatchObject({ code: -32602 })
  expect(await client.call('approval.respond', { request_id: asked.id, choice: 'deny' })).toEqual({ answered: true })
  await client.until(isIdle)
  expect(client.events()).toContainEqual({ type: 'request.closed', id: asked.id, answer: 'deny' })
  expect(client.events().find(isType('tool.complete'))).toMatchObject({ ok: false })
})

proves('dashboard.methods.prompt-submit', 'an edited prompt replaces the one that was sent, in the store, too', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  await say(client, session_id, 'stream 1 tokens')
  await say(client, session_id, 'stream 2 tokens')
  const resend = { session_id, text: 'stream 3 tokens', id: 'edited', truncate_before_user_ordinal: 1 }
  const bad = await client.fails('prompt.submit', { ...resend, id: 'bad', truncate_before_user_ordinal: 3 })
  expect(bad).toMatchObject({ code: 4004, data: { code: 'HTTP_INVALID' } })
  expect(await client.fails('prompt.submit', { ...resend, truncate_before_user_ordinal: -1 })).toMatchObject({ code: 4004 })
  await client.call('prompt.submit', resend)
  await client.until((event) => event.type === 'message.complete' && event.text.includes('offline-3'))
  const at = client.events().findIndex(isType('session.truncated'))
  expect(client.events().slice(at, at + 2)).toMatchObject([
    { ordinal: 1 },
    { type: 'prompt.accepted', ordinal: 1, text: 'stream 3 tokens' },
  ])
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  const prompts = events.flatMap(({ event }) => (event.type === 'prompt.accepted' ? [event.text] : []))
  expect(prompts).toEqual(['stream 1 tokens', 'stream 3 tokens'])
})

test('a prompt that is answered or waits is taken out when an earlier one is edited', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  await client.call('prompt.submit', { session_id, text: 'stream 100000 tokens every 5 ms', id: 'a' })
  await client.call('prompt.submit', { session_id, text: 'stream 1 tokens', id: 'b' })
  await client.until(isType('message.delta'))
  await client.call('prompt.submit', { session_id, text: 'stream 3 tokens', id: 'c', truncate_before_user_ordinal: 0 })
  await client.until(isIdle)
  await stage.restart()
  const { events } = await stage.connect().call('session.resume', { session_id })
  expect(events.flatMap(({ event }) => (event.type === 'prompt.accepted' ? [event.text] : []))).toEqual(['stream 3 tokens'])
})

proves(
  ['error.no-provider.event', 'error.no-provider.runtime-check', 'event.error.provider', 'dashboard.methods.runtime-check'],
  'without a provider a prompt is accepted, and the error comes as an event; the strict check says the same',
  async () => {
    await using stage = await openChatStage({ config: 'model: { provider: openai, default: gpt-5 }\n' })
    const client = stage.connect()
    const session_id = await start(client)
    expect(await client.call('prompt.submit', { session_id, text: 'hello', id: 'a' })).toEqual({ accepted: true, ordinal: 0 })
    const error = await client.until(isType('error'))
    await client.until(isIdle)
    expect(client.events().at(-2)).toMatchObject({ type: 'message.complete', status: 'failed' })
    const check = await client.call('setup.runtime_check', {})
    expect(check).toMatchObject({ ok: false, code: error.type === 'error' ? error.error.code : '' })
  },
)

proves(['event.message.provider-failure'], 'a failure of the provider shows up in the conversation', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  await say(client, session_id, 'fail auth')
  expect(client.events().find(isType('error'))).toMatchObject({ error: { code: expect.stringMatching(/^MODEL_/) } })
  expect(await client.call('setup.runtime_check', {})).toEqual({ ok: true })
})

test('slash commands answer as on other doors, and a mistyped one never goes to the model', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  const run = async (text: string): Promise<string> => {
    expect(await client.call('prompt.submit', { session_id, text, id: text })).toEqual({ accepted: true })
    const said = await client.until((event) => event.type === 'command.output' && event.id === text)
    return said.type === 'command.output' ? said.text : ''
  }
  expect(await run('/help')).toContain('/usage: ')
  expect(await run('/usge')).toBe('There is no command /usge. Did you mean /usage?')
  expect(await run('/usage')).toBe('This session has used nothing yet.')
  expect(await run('/title My plan')).toBe('This session is called "My plan".')
  expect(client.events().some(isType('prompt.accepted'))).toBe(false)
  await say(client, session_id, 'stream 1 tokens')
  expect(await client.call('session.resume', { session_id })).toMatchObject({ title: 'My plan' })
  expect(await run('/usage ')).toMatch(/^1 model call,/)
  const { commands } = await client.call('commands.catalog', {})
  expect(commands.map(({ name }) => name)).toContain('new')
  await run('/new Next plan')
  const next = await client.until(isType('session.next'))
  if (next.type !== 'session.next') throw new Error('no session')
  expect(next.session_id).not.toBe(session_id)
  expect(await client.call('session.resume', { session_id: next.session_id })).toMatchObject({ title: 'Next plan', events: [] })
  expect(await client.call('session.title', { session_id, title: 'Old plan' })).toEqual({ title: 'Old plan' })
  expect(await client.fails('session.resume', { session_id: 'ses_nowhere' })).toMatchObject({ data: { code: 'SESSION_NOT_FOUND' } })
})

test('a skill is given like a command: its text is the prompt, its instructions are for that turn and shown nowhere', async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: [{ text: 'Yes.' }] })
  const config = JSON.stringify({ model: { provider: 'custom', default: 'm', base_url: server.url } })
  await using stage = await openChatStage({ config })
  stage.home.write('skills/tea/SKILL.md', '---\nname: tea\ndescription: Make tea.\n---\nBoil water.\n')
  const client = stage.connect()
  const session_id = await start(client)
  await client.call('prompt.submit', { session_id, text: '/tea make it', id: 'a' })
  await client.until(isIdle)
  expect(client.events().find(isType('prompt.accepted'))).toEqual({ type: 'prompt.accepted', id: 'a:1', text: 'make it', ordinal: 0 })
  expect(server.requests.at(-1)?.raw).toContain('Boil water.')
  await say(client, session_id, 'and now?')
  expect(server.requests.at(-1)?.raw).not.toContain('Boil water.')
  const { commands } = await client.call('commands.catalog', {})
  expect(commands.at(-1)).toEqual({ name: 'tea', summary: 'Make tea.', args: '[text]' })
})

test('what is no request is answered with the errors of JSON-RPC', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  expect(await client.fails('no.such', {})).toMatchObject({ code: -32601 })
  expect(await client.fails('toString', {})).toMatchObject({ code: -32601 })
  expect(await client.fails('session.resume', { session_id: 7 })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('session_id'),
  })
  expect(await client.fails('prompt.submit', { session_id: 'ses_a', text: '  ', id: 'a' })).toMatchObject({ code: -32602 })
  expect(await client.fails('ping', 'text')).toMatchObject({ code: -32602 })
  const raw: unknown[] = []
  client.socket.on('message', (data) => raw.push(JSON.parse(data.toString())))
  for (const text of ['{broken', '[]', '{"jsonrpc":"1.0","id":1,"method":"ping"}']) client.socket.send(text)
  await client.call('ping', {})
  expect(raw.slice(0, 3)).toMatchObject([{ id: null, error: { code: -32700 } }, { error: { code: -32600 } }, { error: { code: -32600 } }])
  expect(stage.isOpened()).toBe(false)
})

test('another conversation is not heard of, and a session that is closed is not any more', async () => {
  await using stage = await openChatStage()
  const [one, two] = [stage.connect(), stage.connect()]
  const session_id = await start(one)
  await start(two)
  await two.call('session.resume', { session_id })
  expect(await two.call('session.close', { session_id })).toEqual({ closed: true })
  expect(await two.call('session.close', { session_id })).toEqual({ closed: false })
  await say(one, session_id, 'stream 1 tokens')
  await two.call('ping', {})
  expect(two.frames).toEqual([])
})

test('a model that was chosen elsewhere answers the next prompt, and settings that cannot be used change nothing', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const session_id = await start(client)
  const models = (): readonly string[] => client.events().flatMap((event) => (event.type === 'message.start' ? [event.model] : []))
  await say(client, session_id, 'stream 1 tokens', 'a')
  stage.home.write('config.yaml', 'model: { provider: offline, default: another-model }\n')
  await say(client, session_id, 'stream 1 tokens', 'b')
  stage.home.write('config.yaml', 'model: [what is this\n')
  await say(client, session_id, 'stream 1 tokens', 'c')
  expect(models()).toEqual(['offline', 'another-model', 'another-model'])
})

proves(
  'dashboard.methods.setup-status',
  'a key that only the environment holds counts as configured, the model that stands in does not',
  async () => {
    const ask = async (environment: Readonly<Record<string, string>>) => {
      await using stage = await openChatStage({ config: '{}\n', environment })
      const client = stage.connect()
      return [await client.call('setup.status', {}), await client.call('setup.runtime_check', {})]
    }
    expect(await ask({})).toEqual([{ provider_configured: false }, { ok: true }])
    expect(await ask({ OPENAI_API_KEY: 'sk-made-up' })).toEqual([{ provider_configured: true }, { ok: true }])
  },
)
