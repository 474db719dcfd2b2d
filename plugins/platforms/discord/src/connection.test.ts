import type { Connection } from '@agent/plugin-sdk'
import { afterEach, expect, test } from 'vitest'
import type { DiscordServer, DiscordServerOptions } from '../test/discord-server.ts'
import { ann, bot, direct, general } from '../test/discord-world.ts'
import { call, createBench, createMessage, type Rig, type RigOptions } from '../test/rig.ts'

const bench = createBench()
afterEach(() => bench.close())

async function start(options: DiscordServerOptions = {}, rigOptions: RigOptions = {}) {
  const server = await bench.openServer(options)
  const rig = bench.openRig(server, rigOptions)
  return { server, rig, connection: await rig.connect() }
}

/** Moves the time in small steps until it holds. */
async function pass(rig: Rig, holds: () => boolean): Promise<void> {
  const step = async (): Promise<boolean> => {
    if (!holds()) await rig.clock.advance(1000)
    return holds()
  }
  await expect.poll(step, { interval: 5, timeout: 5000 }).toBe(true)
}

test('it hears what is said from now on', async () => {
  const server = await bench.openServer()
  server.say('long ago')
  const rig = bench.openRig(server)
  const connection = await rig.connect()
  server.gateway.raw('no frame')
  server.gateway.raw({ op: 0, s: 2, t: 'MESSAGE_CREATE', d: { id: 7 } })
  server.say('one')
  await connection.send?.(createMessage('an answer'), call)
  server.say('two', { channel: general })
  await expect.poll(rig.texts).toEqual(['one', 'two'])
  expect(await connection.identity?.(call)).toEqual({ id: bot.id, name: 'agent' })
  expect(rig.host.lost).toEqual([])
})

test.each<[string, DiscordServerOptions, RigOptions, string, RegExp]>([
  ['a wrong token', {}, { secrets: { DISCORD_BOT_TOKEN: 'wrong' } }, 'PLATFORM_AUTH', /DISCORD_BOT_TOKEN must hold the token/],
  ['a switched off intent', { contentIntent: false }, {}, 'PLATFORM_AUTH', /Message Content Intent is off; switch it on/],
  ['too many starts', { startsLeft: 0 }, {}, 'PLATFORM_UNREACHABLE', /no more sessions/],
])('%s is told at the start', async (_what, options, rigOptions, code, sentence) => {
  const rig = bench.openRig(await bench.openServer(options), rigOptions)
  await expect(rig.connect()).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test.each([4010, 4011, 4012, 4013])('close code %i is final', async (code) => {
  const { server, rig } = await start()
  server.gateway.close(code)
  await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'PLATFORM_AUTH' }])
  expect(server.gateway.counts.resume).toBe(0)
})

test('a gateway that never says hello is given up after 30 seconds', async () => {
  const server = await bench.openServer()
  server.gateway.faults.mute = true
  const rig = bench.openRig(server)
  const connecting = rig.connect()
  const failed = expect(connecting).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect.poll(() => server.http.sockets().length).toBe(1)
  await rig.clock.advance(29_999)
  expect(server.http.sockets()).toHaveLength(1)
  await rig.clock.advance(1)
  await failed
  await expect.poll(() => server.http.sockets().length).toBe(0)
})

test.each<[string, (server: DiscordServer) => void]>([
  ['is cut', (server) => server.gateway.cut()],
  ['is closed with 4000', (server) => server.gateway.close(4000)],
  ['shall be replaced', (server) => server.gateway.raw({ op: 7, d: null })],
  ['is refused for now', (server) => server.gateway.raw({ op: 9, d: true })],
])('a connection that %s is resumed, and nothing is lost', async (_what, end) => {
  const { server, rig } = await start()
  server.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  end(server)
  await expect.poll(() => server.http.sockets().length).toBe(0)
  server.say('while nobody listens')
  await pass(rig, () => server.gateway.counts.resume > 0)
  server.say('two')
  await expect.poll(rig.texts).toEqual(['one', 'while nobody listens', 'two'])
  expect(server.gateway.counts.identify).toBe(1)
  expect(rig.host.lost).toEqual([])
})

test('a connection that is cut without a word is noticed by its heartbeat and resumed', async () => {
  const { server, rig, connection } = await start({ heartbeatMs: 40_000 })
  await rig.clock.advance(40_000)
  await expect.poll(() => server.gateway.counts.heartbeat).toBeGreaterThan(0)
  const heard = await connection.lastHeard(call)
  server.gateway.halfOpen()
  server.say('while nobody listens')
  await pass(rig, () => server.gateway.counts.resume > 0)
  await expect.poll(rig.texts).toEqual(['while nobody listens'])
  expect(await connection.lastHeard(call)).toBeGreaterThan(heard)
  expect(rig.host.lost).toEqual([])
})

test('heartbeats that are acknowledged keep a silent connection, and the answer to a send proves nothing', async () => {
  const { server, rig, connection } = await start({ heartbeatMs: 10_000 })
  const at = rig.clock.now()
  await pass(rig, () => server.gateway.counts.heartbeat >= 5)
  await expect.poll(() => connection.lastHeard(call)).toBeGreaterThan(at)
  expect(server.gateway.counts).toMatchObject({ identify: 1, resume: 0 })
})

test('a session that cannot be resumed is lost, and the next one reads what was missed', async () => {
  const { server, rig, connection } = await start()
  server.say('one')
  server.say('in the channel', { channel: general, mention: true })
  await expect.poll(rig.texts).toEqual(['one', 'in the channel'])
  server.gateway.faults.forgetful = true
  server.gateway.cut()
  server.say('two', { untold: true })
  server.say('three', { untold: true, channel: general, mention: true })
  server.say('by the bot itself', { untold: true, author: bot })
  await pass(rig, () => rig.host.lost.length > 0)
  expect(rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST', params: { detail: 'the session is not valid any more' } }])
  await connection.close(call)
  const second = bench.openRig(server, { state: rig.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['two', 'three'])
  server.say('four')
  await expect.poll(second.texts).toEqual(['two', 'three', 'four'])
  const { conversation, sender, addressed } = second.host.received[1] ?? {}
  expect({ conversation, sender, addressed }).toMatchObject({
    conversation: { kind: 'thread', parent: general },
    sender: { id: ann.id, roles: ['750'] },
    addressed: true,
  })
})

test('what the host did not take is read again on the next connection', async () => {
  const { server, rig, connection } = await start()
  server.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 100_000 })
  server.say('two')
  await expect.poll(rig.texts).toEqual(['one', 'two'])
  await connection.close(call)
  const second = bench.openRig(server, { state: rig.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['two'])
})

test('our own words in between do not hide what was not taken', async () => {
  const { server, rig, connection } = await start()
  server.say('one', { channel: general, mention: true, more: { type: 19 } })
  await expect.poll(rig.texts).toEqual(['one'])
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 100_000 })
  server.say('two', { channel: general, mention: true, more: { type: 19 } })
  await expect.poll(rig.texts).toEqual(['one', 'two'])
  await connection.send?.(createMessage('an answer'), call)
  await connection.close(call)
  const second = bench.openRig(server, { state: rig.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['two'])
})

test('a channel that is closed to us is forgotten, and a server in trouble ends the connection', async () => {
  const { server, rig, connection } = await start()
  server.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  await connection.close(call)
  server.refuseNext('GET', /messages$/, 500, {})
  const second = bench.openRig(server, { state: rig.state })
  await second.connect()
  await expect.poll(() => second.host.lost).toMatchObject([{ code: 'PLATFORM_UNREACHABLE' }])
  server.refuseNext('GET', /messages$/, 403, { message: 'Missing Access', code: 50_001 })
  const third = bench.openRig(server, { state: rig.state })
  await (await third.connect()).close(call)
  await expect.poll(() => third.state.get(`heard:${bot.id}`)).toEqual([])
})

test('a gateway that cannot be reached again is given up after some attempts', async () => {
  const { server, rig } = await start()
  await server.close()
  await pass(rig, () => rig.host.lost.length > 0)
  expect(rig.host.lost).toMatchObject([{ code: 'PLATFORM_UNREACHABLE' }])
  expect(rig.clock.sleeping()).toBe(0)
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  const { server, rig, connection } = await start()
  const sending = connection.send?.(createMessage('last words'), call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  await expect(connection.send?.(createMessage('too late'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect.poll(() => server.http.sockets().length).toBe(0)
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test('it lists where it can speak', async () => {
  const { server, rig, connection } = await start()
  server.say('hello')
  await expect.poll(rig.texts).toEqual(['hello'])
  const list: NonNullable<Connection['listConversations']> = connection.listConversations ?? (async () => [])
  expect(await list(call)).toEqual([
    { id: general, kind: 'channel', name: '#general' },
    { id: '702', kind: 'channel', name: '#questions' },
    { id: direct, kind: 'dm' },
  ])
  server.gateway.dispatch('GUILD_DELETE', { id: '700', unavailable: true })
  await expect.poll(() => list(call)).toEqual([{ id: direct, kind: 'dm' }])
})
