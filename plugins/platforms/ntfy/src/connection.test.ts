import { readFileSync } from 'node:fs'
import type { Call, Connection, PlatformContext, State } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, openTestContext } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type NtfyServer, type NtfyServerOptions, openNtfyServer } from '../test/ntfy-server.ts'
import { type Config, config } from './config.ts'
import ntfy from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Rig = ReturnType<typeof openRig>

interface RigOptions {
  readonly secrets?: Record<string, string>
  readonly state?: State
  /** Nothing can be stored. */
  readonly failing?: boolean
}

/** A host and a clock that stands still. A second rig with the state of the first is the agent after a restart. */
function openRig(server: NtfyServer, { secrets = {}, state, failing = false }: RigOptions = {}) {
  const clock = createFakeClock()
  const host = openTestContext({
    manifest,
    contribution: 'ntfy',
    config: config.parse({ server_url: server.url }),
    secrets: { NTFY_TOPIC: 't', ...secrets },
  })
  open.push(() => host.close())
  const effect = (undo: () => void | Promise<void>): void => void open.push(undo)
  const receive = failing ? async () => Promise.reject(new Error('the disk is gone')) : host.context.receive
  const context = { ...host.context, ...(state && { state }), clock, effect, receive } as PlatformContext<Config>
  return { clock, host, state: context.state, connect: () => ntfy.connect(context, call) }
}

async function start(options: NtfyServerOptions = {}): Promise<NtfyServer> {
  const server = await openNtfyServer(options)
  open.push(() => server.close())
  return server
}

const texts = ({ host }: Rig): readonly string[] => host.received.map(({ text }) => text)

test('it hears what is said from now on, and not its own words', async () => {
  const server = await start()
  server.say('t', 'long ago')
  const rig = openRig(server)
  const connection = await rig.connect()
  const message = { key: 'in:1:0', account: '', conversation: 't', text: 'an answer', part: { index: 0, total: 1 } }
  server.say('t', 'one')
  expect(await connection.send?.(message, call)).toMatchObject({ status: 'sent' })
  server.raw('no event\n\n')
  server.say('other', 'elsewhere')
  server.say('t', 'two')
  await expect.poll(() => texts(rig)).toEqual(['one', 'two'])
  expect(server.requests[0]).toBe('GET /t/json')
  expect(rig.host.lost).toEqual([])
})

async function restart(server: NtfyServer, first: Rig, connection: Connection, between: () => void): Promise<Rig> {
  await expect.poll(() => texts(first)).toHaveLength(1)
  await connection.close(call)
  between()
  const second = openRig(server, { state: first.state })
  await second.connect()
  return second
}

test('what was said while it was away is heard afterwards, once', async () => {
  const server = await start()
  const first = openRig(server)
  const connection = await first.connect()
  const { id } = server.say('t', 'one')
  const second = await restart(server, first, connection, () => server.say('t', 'two'))
  server.say('t', 'three')
  await expect.poll(() => texts(second)).toEqual(['two', 'three'])
  expect(server.requests.at(-1)).toBe(`GET /t/json?since=${id}`)
})

test('what was said before the first message was heard is not lost either', async () => {
  const server = await start({ now: () => 1_700_000_000_000 })
  const first = openRig(server)
  await (await first.connect()).close(call)
  server.say('t', 'one')
  const second = openRig(server, { state: first.state })
  await second.connect()
  await expect.poll(() => texts(second)).toEqual(['one'])
  expect(server.requests.at(-1)).toBe('GET /t/json?since=1700000000')
})

test('a server that has forgotten our last message does not make us hear older ones again', async () => {
  let now = 1_700_000_000_000
  const server = await start({ now: () => now })
  server.say('t', 'long ago')
  now += 5000
  const first = openRig(server)
  const connection = await first.connect()
  server.raw(`{"id":"never-kept-0","time":${now / 1000},"event":"message","message":"one"}\n`)
  const second = await restart(server, first, connection, () => {
    now += 5000
    server.say('t', 'two')
  })
  await expect.poll(() => texts(second)).toEqual(['two'])
})

test('a scheduled message may come a little late', async () => {
  const server = await start({ now: () => 1_700_000_000_000 })
  const rig = openRig(server)
  const connection = await rig.connect()
  server.say('t', 'one', { time: 1_700_000_009 })
  server.say('t', 'scheduled', { time: 1_700_000_005 })
  await expect.poll(() => texts(rig)).toEqual(['one', 'scheduled'])
  await connection.close(call)
  expect(await rig.state.get(`heard:${server.url.slice('http://'.length)}/t`)).toMatchObject({ time: 1_700_000_009 })
})

test('a message that the host does not take is offered until it does, and not remembered before', async () => {
  const server = await start()
  const rig = openRig(server)
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 200_000 })
  await rig.connect()
  server.say('t', 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(await rig.state.get(`heard:${server.url.slice('http://'.length)}/t`)).toMatchObject({ id: null })
  // The host's trouble is not the silence of the server.
  await rig.clock.advance(199_999)
  expect(rig.host.lost).toEqual([])
  await rig.clock.advance(1)
  await expect.poll(() => texts(rig)).toEqual(['one', 'one'])
  server.say('t', 'two')
  await expect.poll(() => texts(rig)).toEqual(['one', 'one', 'two'])
})

test('a host that fails ends the connection, and the message is heard again on the next', async () => {
  const server = await start()
  const rig = openRig(server, { failing: true })
  await rig.connect()
  server.say('t', 'one')
  await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST', params: { detail: 'the disk is gone' } }])
  const second = openRig(server, { state: rig.state })
  await second.connect()
  await expect.poll(() => texts(second)).toEqual(['one'])
})

test('a server that says nothing more is given up after 120 seconds', async () => {
  const server = await start()
  const rig = openRig(server)
  const connection = await rig.connect()
  const at = await connection.lastHeard(call)
  await rig.clock.advance(60_000)
  server.keepAlive()
  await expect.poll(() => connection.lastHeard(call)).toBe(at + 60_000)
  server.halfOpen()
  await rig.clock.advance(105_000)
  expect(rig.host.lost).toEqual([])
  await rig.clock.advance(15_000)
  expect(rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST', params: { detail: 'nothing was heard for 120 seconds' } }])
  expect(rig.clock.sleeping()).toBe(0)
})

test.each<[string, (server: NtfyServer) => void]>([
  ['that ends', (server) => server.hangUp()],
  ['that breaks', (server) => server.cut()],
  ['without lines', (server) => server.raw('x'.repeat(2 << 20))],
])('a stream %s is lost, once', async (_what, end) => {
  const server = await start()
  const rig = openRig(server)
  const connection = await rig.connect()
  end(server)
  await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST' }])
  const message = { key: 'k', account: '', conversation: 't', text: 'later', part: { index: 0, total: 1 } }
  await expect(connection.send?.(message, call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(server.messages).toEqual([])
})

test.each<[string, Record<string, string>, NtfyServerOptions]>([
  ['PLATFORM_AUTH', { NTFY_TOKEN: 'tk_wrong' }, { token: 'tk_right' }],
  ['PLATFORM_AUTH', {}, { token: 'tk_right' }],
  ['ENV_INVALID', { NTFY_TOPIC: 'docs' }, {}],
  ['ENV_INVALID', { NTFY_SERVER_URL: '/elsewhere/deep' }, {}],
])('%s refuses to connect: %j', async (code, secrets, options) => {
  const server = await start(options)
  const address = secrets.NTFY_SERVER_URL
  const full = address?.startsWith('/') ? { ...secrets, NTFY_SERVER_URL: server.url + address } : secrets
  const rig = openRig(server, { secrets: full })
  await expect(rig.connect()).rejects.toMatchObject({ code })
  expect(rig.host.lost).toEqual([])
})

test('a server that is not there cannot be reached', async () => {
  const server = await start()
  await server.close()
  await expect(openRig(server).connect()).rejects.toMatchObject({
    code: 'PLATFORM_UNREACHABLE',
    params: { detail: expect.stringContaining('ECONNREFUSED') },
  })
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  const server = await start({ token: 'ann:secret' })
  const rig = openRig(server, { secrets: { NTFY_TOKEN: 'ann:secret' } })
  const connection = await rig.connect()
  const message = { key: 'k', account: '', conversation: 't', text: 'last words', part: { index: 0, total: 1 } }
  const sending = connection.send?.(message, call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})
