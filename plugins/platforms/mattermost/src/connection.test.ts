import { afterEach, expect, test } from 'vitest'
import { ann, bot, direct, robot, town } from '../test/mattermost-world.ts'
import { call, createBench, createMessage, type RigOptions } from '../test/rig.ts'

const bench = createBench()
afterEach(() => bench.close())

async function start(options: RigOptions = {}) {
  const server = await bench.openServer()
  const rig = bench.openRig(server, options)
  return { server, rig, connection: await rig.connect() }
}

test('it hears what is said from now on', async () => {
  const server = await bench.openServer()
  server.say('long ago')
  const rig = bench.openRig(server)
  const connection = await rig.connect()
  server.events.raw('no frame')
  server.events.tell('posted', { post: '{"id":7}' })
  server.events.tell('typing', { parent_id: '', user_id: ann.id })
  server.say('one')
  await connection.send(createMessage('an answer'), call)
  server.say('two', { channel: town, author: robot })
  await expect.poll(rig.texts).toEqual(['one', 'two'])
  expect(rig.host.received[1]).toMatchObject({ sender: { id: robot.id, name: 'robot', isBot: true }, addressed: false })
  expect(await connection.identity(call)).toEqual({ id: bot.id, name: 'agent' })
  expect(rig.host.lost).toEqual([])
})

test('what was said while it was away is heard afterwards, in order', async () => {
  const { server, rig, connection } = await start()
  server.say('before', { channel: town })
  await expect.poll(rig.texts).toEqual(['before'])
  await connection.close(call)
  server.say('two', { channel: town, untold: true })
  server.say('three', { untold: true })
  server.say('deleted', { untold: true, more: { delete_at: 9 } })
  server.say('four', { channel: town, untold: true })
  const [before] = server.world.posts
  if (before) before.update_at = server.world.tick()
  const second = bench.openRig(server, { state: rig.state })
  await second.connect()
  await expect.poll(() => second.texts().at(-1)).toBe('four')
  server.say('five')
  // What came last before is offered again; by its id the host knows it.
  await expect.poll(second.texts).toEqual(['before', 'two', 'three', 'four', 'five'])
  expect(second.host.received[0]?.id).toBe(rig.host.received[0]?.id)
})

test('what was said before the first start is never heard, even when it is near', async () => {
  const server = await bench.openServer()
  const old = server.say('old')
  const first = bench.openRig(server)
  await (await first.connect()).close(call)
  old.update_at = server.world.tick()
  server.say('new', { untold: true })
  const second = bench.openRig(server, { state: first.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['new'])
})

test('an event that did not arrive is read afterwards', async () => {
  const { server, rig } = await start()
  server.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  server.events.swallowNext()
  server.say('two', { channel: town })
  server.say('three')
  await expect.poll(() => new Set(rig.texts())).toEqual(new Set(['one', 'two', 'three']))
  expect(rig.host.lost).toEqual([])
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
  await expect.poll(() => second.texts().at(-1)).toBe('two')
})

test('a channel that is closed to us is left out, and a server in trouble ends the connection', async () => {
  const { server, rig, connection } = await start()
  server.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  await connection.close(call)
  server.say('two', { channel: town, untold: true })
  server.say('three', { untold: true })
  server.refuseNext('GET', /town.*posts$/, 403)
  const second = bench.openRig(server, { state: rig.state })
  const again = await second.connect()
  await expect.poll(() => second.texts().at(-1)).toBe('three')
  await again.close(call)
  expect(second.texts()).not.toContain('two')
  server.say('four', { untold: true })
  server.refuseNext('GET', /direct.*posts$/, 500)
  const third = bench.openRig(server, { state: rig.state })
  await third.connect()
  await expect.poll(() => third.host.lost).toMatchObject([{ code: 'PLATFORM_UNREACHABLE' }])
})

test.each<[string, Record<string, string>, string]>([
  ['a wrong token', { MATTERMOST_TOKEN: 'wrong' }, 'PLATFORM_AUTH'],
  ['another kind of server', { MATTERMOST_URL: '/elsewhere' }, 'ENV_INVALID'],
])('%s is told at the start', async (_what, secrets, code) => {
  const server = await bench.openServer()
  const path = secrets.MATTERMOST_URL
  const rig = bench.openRig(server, { secrets: path ? { MATTERMOST_URL: server.url + path } : secrets })
  await expect(rig.connect()).rejects.toMatchObject({ code })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test('a token that the events do not take is told, and a challenge without an answer is given up', async () => {
  const server = await bench.openServer()
  server.events.onChallenge('refusal')
  await expect(bench.openRig(server).connect()).rejects.toMatchObject({
    code: 'PLATFORM_AUTH',
    message: expect.stringContaining('MATTERMOST_TOKEN must hold the access token of a bot'),
  })
  await expect.poll(() => server.http.sockets().length).toBe(0)
  server.events.onChallenge('silence')
  const rig = bench.openRig(server)
  const failed = expect(rig.connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect.poll(() => server.http.sockets().length).toBe(1)
  await rig.clock.advance(30_000)
  await failed
  await expect.poll(() => server.http.sockets().length).toBe(0)
})

test('a connection that is cut without a word is noticed', async () => {
  const { server, rig, connection } = await start()
  const at = await connection.lastHeard(call)
  await rig.clock.advance(30_000)
  await expect.poll(() => connection.lastHeard(call)).toBeGreaterThan(at)
  for (const socket of server.http.sockets()) socket.halfOpen()
  const step = async (): Promise<number> => {
    if (rig.host.lost.length === 0) await rig.clock.advance(10_000)
    return rig.host.lost.length
  }
  await expect.poll(step, { interval: 5 }).toBe(1)
  expect(rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST' }])
})

test('a server that goes away is lost, once, and cannot be reached', async () => {
  const { server, rig, connection } = await start()
  await server.close()
  await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST' }])
  await expect(connection.send(createMessage('later'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect(bench.openRig(server).connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  const { server, rig, connection } = await start()
  const sending = connection.send(createMessage('last words'), call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  await expect.poll(() => server.http.sockets().length).toBe(0)
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test('marks, typing, files and conversations', async () => {
  const { server, rig, connection } = await start()
  const bytes = Uint8Array.from([1, 2, 3])
  const { id } = server.say('look', { channel: town, files: [{ name: 'a.pdf', mime: 'application/pdf', bytes }] })
  await expect.poll(rig.texts).toEqual(['look'])
  const target = { account: bot.id, conversation: town, id }
  server.refuseNext('POST', /reactions$/, 429, { 'Retry-After': '1' })
  const marking = connection.react(target, 'seen', call)
  await expect.poll(() => rig.clock.sleeping()).toBeGreaterThan(1)
  await rig.clock.advance(1000)
  await marking
  await connection.react(target, 'failed', call)
  expect([...(server.world.reactions.get(id) ?? [])]).toEqual(['x'])
  await expect(connection.react({ ...target, id: 'x'.repeat(26) }, 'seen', call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await connection.typing(`${town}/${id}`, call)
  expect(server.world.typings).toEqual([`${town}/${id}`])
  const [file] = rig.host.received[0]?.media ?? []
  const read: number[] = []
  if (file) for await (const piece of connection.fetchMedia(file, call)) read.push(...piece)
  expect(read).toEqual([1, 2, 3])
  const gone = connection.fetchMedia({ id: '../users/me', kind: 'document', mime: '' }, call)
  await expect(gone[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(await connection.listConversations(call)).toEqual([
    { id: town, kind: 'channel', name: 'Town Square' },
    { id: direct, kind: 'dm' },
  ])
})

test('marks can be switched off', async () => {
  const { server, connection } = await start({ extra: { reactions: false } })
  const { id } = server.say('hi')
  await connection.react({ account: bot.id, conversation: direct, id }, 'seen', call)
  expect(server.world.reactions.size).toBe(0)
})
