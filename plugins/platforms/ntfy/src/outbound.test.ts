import type { Call, OutboundMessage, State, Wire } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type NtfyServer, type NtfyServerOptions, openNtfyServer } from '../test/ntfy-server.ts'
import { isMark } from './mark.ts'
import { openMemory } from './memory.ts'
import { createSender } from './outbound.ts'
import { createRequest } from './server.ts'
import { loadSettings } from './settings.ts'

const open = new Set<NtfyServer>()
afterEach(async () => {
  for (const server of open) await server.close()
  open.clear()
})

function createState(): State {
  const values = new Map<string, Wire>()
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  }
}

interface Options extends NtfyServerOptions {
  readonly publishTopic?: string
}

async function openSending({ publishTopic = '', ...options }: Options = {}) {
  const server = await openNtfyServer(options)
  open.add(server)
  const clock = createFakeClock()
  const state = createState()
  const controller = new AbortController()
  const call: Call = { id: 'call_1', signal: controller.signal, deadline: 30_000 }
  const variables: Record<string, string> = { NTFY_TOPIC: 't', NTFY_PUBLISH_TOPIC: publishTopic, NTFY_SERVER_URL: server.url }
  const settings = await loadSettings(
    { server_url: '' },
    { get: async (name) => variables[name] ?? '', find: async (name) => variables[name] || undefined },
  )
  const request = createRequest({ fetch }, settings)
  let salts = 0
  const openAgain = async (kept = state) => {
    const memory = await openMemory(kept, settings.account, settings.topic, () => `salt-${++salts}`)
    return { memory, sender: createSender({ request, settings, memory, clock, signal: new AbortController().signal }) }
  }
  const { memory, sender } = await openAgain()
  const message = (text: string, conversation: string, key: string): OutboundMessage => ({
    key,
    account: '',
    conversation,
    text,
    part: { index: 0, total: 1 },
  })
  return {
    server,
    clock,
    state,
    controller,
    call,
    memory,
    sender,
    openAgain,
    send: (text: string, { to = 't', key = 'in:1:0' } = {}) => sender.send(message(text, to, key), call),
  }
}

const said = ({ server }: { server: NtfyServer }) => server.messages.map(({ topic, message }) => `${topic}: ${message}`)

test('a message is published with a mark and without a title', async () => {
  const ntfy = await openSending()
  const receipt = await ntfy.send('größer 😀\nzwei')
  const [published] = ntfy.server.messages
  expect(receipt).toEqual({ status: 'sent', platformId: published?.id })
  expect(published).toMatchObject({ topic: 't', message: 'größer 😀\nzwei', tags: [expect.toSatisfy(isMark)] })
  expect(published).not.toHaveProperty('title')
})

test('answers go to the topic for answers, anything else to the topic that it names', async () => {
  const ntfy = await openSending({ publishTopic: 'answers' })
  await ntfy.send('one')
  await ntfy.send('two', { to: 'home' })
  expect(said(ntfy)).toEqual(['answers: one', 'home: two'])
})

test.each([
  ['hello', 'a/../b', 'the receiver is no topic'],
  ['hello', 'a?x=1', 'the receiver is no topic'],
  [' \n', 't', 'there is nothing to say'],
  [`${'é'.repeat(2048)}x`, 't', 'the text is longer than 4096 bytes'],
])('%# nothing goes out', async (text, to, detail) => {
  const ntfy = await openSending()
  expect(await ntfy.send(text, { to })).toEqual({
    status: 'refused',
    error: { code: 'SEND_REFUSED', params: { platform: 'ntfy', detail } },
  })
  expect(ntfy.server.requests).toEqual([])
  expect(await ntfy.send('é'.repeat(2048))).toMatchObject({ status: 'sent' })
})

test('a refusal is told in the words of the server, and a limit with its time', async () => {
  const ntfy = await openSending()
  expect(await ntfy.send('hello', { to: 'docs' })).toMatchObject({
    status: 'refused',
    error: { code: 'SEND_REFUSED', params: { detail: 'invalid request: topic name is disallowed' } },
  })
  ntfy.server.breakNext(
    { type: 'status', status: 429, headers: { 'Retry-After': '9' }, body: '{"error":"limit reached"}' },
    { type: 'status', status: 301, headers: { Location: 'https://new.test/t' } },
  )
  expect(await ntfy.send('hello')).toMatchObject({ status: 'refused', error: { params: { detail: 'limit reached' }, retryAfterMs: 9000 } })
  const moved = await ntfy.send('hello')
  expect(moved).toMatchObject({ status: 'refused', error: { params: { detail: 'it sends on to https://new.test/t' } } })
  expect(moved).not.toHaveProperty('error.retryAfterMs')
})

test('a message whose answer is lost is looked for', async () => {
  const ntfy = await openSending()
  ntfy.server.breakNext({ type: 'lose-answer' })
  const receipt = await ntfy.send('one')
  expect(receipt).toEqual({ status: 'sent', platformId: ntfy.server.messages[0]?.id })
  ntfy.server.breakNext({ type: 'drop' }, { type: 'status', status: 500 }, { type: 'status', status: 200, body: '<html>' })
  for (const key of ['in:2:0', 'in:3:0', 'in:4:0']) {
    expect(await ntfy.send('two', { key })).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
  }
  expect(said(ntfy)).toEqual(['t: one'])
})

test('a message that could not leave may be sent again', async () => {
  const ntfy = await openSending()
  await ntfy.server.close()
  await expect(ntfy.send('hello')).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  ntfy.controller.abort(new Error('enough'))
  await expect(ntfy.send('hello')).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('a message that is given up on its way is unknown', async () => {
  const ntfy = await openSending()
  ntfy.server.halfOpen()
  const sending = ntfy.send('hello')
  await expect.poll(() => ntfy.server.requests).toHaveLength(1)
  const finishing = ntfy.sender.finish(ntfy.call.signal)
  await expect(ntfy.send('later')).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  ntfy.controller.abort(new Error('enough'))
  expect(await sending).toMatchObject({ status: 'unknown', error: { params: { detail: 'enough' } } })
  await finishing
  expect(ntfy.server.requests).toEqual(['POST /t'])
})

/** The agent died while it sent: the message went out (or not) and nobody learnt of it. */
async function openCrashed({ arrived, ...options }: Options & { readonly arrived: boolean }) {
  const ntfy = await openSending(options)
  const before = ntfy.server.say('t', 'a question')
  await ntfy.memory.setHeard(before)
  ntfy.server.breakNext({ type: arrived ? 'lose-answer' : 'drop' })
  await ntfy.send('an answer')
  const find = async (key = 'in:1:0', conversation = 't', state = ntfy.state) =>
    (await ntfy.openAgain(state)).sender.findSent({ key, conversation, account: '', firstTriedAt: 0 }, ntfy.call)
  return { ...ntfy, find }
}

test('after a crash a message that arrived is found', async () => {
  const { find, server } = await openCrashed({ arrived: true })
  expect(await find()).toEqual({ status: 'sent', platformId: server.messages[1]?.id })
})

test('a message that did not arrive is known to be missing while the one before it is kept', async () => {
  const { find, clock, server } = await openCrashed({ arrived: false })
  server.say('t', 'another question')
  expect(await find()).toBeNull()
  await clock.advance(3_600_000)
  expect(await find()).toMatchObject({ status: 'unknown' })
})

test.each<[string, { cache?: boolean; forget?: boolean; key?: string; lostState?: boolean }]>([
  ['on a server that keeps nothing', { cache: false }],
  ['when the server has forgotten what came before', { forget: true }],
  ['that this agent never began', { key: 'in:9:0' }],
  ['of which the agent lost its notes', { lostState: true }],
])('a missing message %s is unknown', async (_what, { cache = true, forget, key, lostState }) => {
  const { find, server } = await openCrashed({ arrived: false, cache })
  if (forget) server.forget()
  expect(await find(key, 't', lostState ? createState() : undefined)).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
})

test('the same key of another agent on the topic is another message', async () => {
  const { find } = await openCrashed({ arrived: true })
  expect(await find('in:1:0', 't', createState())).toMatchObject({ status: 'unknown' })
})

test('a list that cannot be read proves nothing', async () => {
  const { find, server } = await openCrashed({ arrived: false })
  await server.close()
  await expect(find()).rejects.toThrow()
})
