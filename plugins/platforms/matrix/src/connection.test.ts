import { afterEach, expect, test } from 'vitest'
import { password } from '../test/matrix-login.ts'
import { call, createMessage, openRig, type Rig, type RigOptions } from '../test/matrix-rig.ts'
import type { MatrixServer } from '../test/matrix-server.ts'
import { ann, bob, bot } from '../test/matrix-store.ts'
import { directRoom, invite, openPeopledServer, room, say } from '../test/matrix-world.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function start(options: RigOptions = {}) {
  const server = await openPeopledServer()
  const rig = openRig(server, options)
  open.push(server, rig)
  return { server, rig }
}

function restart(server: MatrixServer, { state }: Rig, options: RigOptions = {}): Rig {
  const rig = openRig(server, { ...options, state })
  open.push(rig)
  return rig
}

const texts = ({ host }: Rig): readonly string[] => host.received.map(({ text }) => text)
const byName = { MATRIX_USER_ID: bot, MATRIX_PASSWORD: password }

test('the first start answers no old messages, and later ones nothing twice and everything once', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  say(server, directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  await expect.poll(() => rig.state.get(`since:${bot}`)).toBe('s2')
  await connection.close(call)
  say(server, directRoom, 'two')
  const second = restart(server, rig)
  await second.connect()
  say(server, directRoom, 'three')
  await expect.poll(() => texts(second)).toEqual(['two', 'three'])
})

test('the first poll asks for little, as nothing of it is answered', async () => {
  const { server, rig } = await start()
  await rig.connect()
  const limits = () => server.http.journal.flatMap(({ url }) => decodeURIComponent(url).match(/"limit":\d+/) ?? [])
  await expect.poll(limits).toEqual(['"limit":1', '"limit":50'])
})

test('what does not fit into one answer is fetched, in order', async () => {
  const { server, rig } = await start()
  await (await rig.connect()).close(call)
  for (let count = 0; count < 280; count += 1) say(server, directRoom, `message ${count}`)
  const second = restart(server, rig)
  await second.connect()
  await expect.poll(() => texts(second).length).toBe(280)
  expect(texts(second)).toEqual([...Array(280).keys()].map((count) => `message ${count}`))
})

test('a room whose past is closed gives what it told, and the rest is given up', async () => {
  const { server, rig } = await start()
  await (await rig.connect()).close(call)
  for (let count = 0; count < 60; count += 1) say(server, directRoom, `message ${count}`)
  server.refuseNext('/messages', 403, { errcode: 'M_FORBIDDEN' })
  const second = restart(server, rig)
  await second.connect()
  await expect.poll(() => texts(second).length).toBe(50)
})

test('what the host could not take is not left behind', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 5000 })
  say(server, directRoom, 'one')
  await expect.poll(() => texts(rig)).toEqual(['one'])
  expect(await rig.state.get(`since:${bot}`)).toBe('s1')
  await connection.close(call)
  const second = restart(server, rig)
  await second.connect()
  await expect.poll(() => texts(second)).toEqual(['one'])
})

test('a place in the stream that is gone lets the next connection begin again', async () => {
  const { server, rig } = await start()
  await rig.state.set(`since:${bot}`, 's999')
  await rig.connect()
  await expect.poll(() => rig.host.lost).toHaveLength(1)
  const second = restart(server, rig)
  await second.connect()
  say(server, directRoom, 'hello')
  await expect.poll(() => texts(second)).toEqual(['hello'])
})

test('what cannot be read is left, and our own words are', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  await connection.send(createMessage('mine'), call)
  server.store.add(directRoom, { type: 'm.room.message', sender: ann, content: { body: 4 } })
  server.store.stream.push({ room: directRoom, event: { type: 'm.room.message' } as never })
  server.store.add(directRoom, { type: 'org.example.vote', sender: ann, content: {} })
  server.refuseNext(`${room}/state/m.room.name`, 400, { errcode: 'M_UNKNOWN' })
  say(server, room, 'in a room that cannot be asked about')
  say(server, directRoom, 'after that')
  await expect.poll(() => texts(rig)).toEqual(['after that'])
  expect(rig.host.lost).toEqual([])
})

test('names of rooms and people are asked for once, until they change', async () => {
  const { server, rig } = await start()
  await rig.connect()
  say(server, room, 'one')
  say(server, room, 'two')
  await expect.poll(() => texts(rig)).toEqual(['one', 'two'])
  server.store.rooms.get(room)?.members.set(ann, 'Anna')
  server.store.add(room, { type: 'm.room.member', sender: ann, state_key: ann, content: { membership: 'join', displayname: 'Anna' } })
  say(server, room, 'three')
  await expect.poll(() => rig.host.received.map(({ sender }) => sender.name)).toEqual(['Ann', 'Ann', 'Anna'])
  expect(server.called.filter((path) => path.endsWith('/state/m.room.name'))).toHaveLength(2)
})

test('whose invitations are welcome is settled beforehand', async () => {
  const { server, rig } = await start({ settings: { invites_from: [ann] } })
  await rig.connect()
  invite(server, '!new:test', ann)
  await expect.poll(() => server.store.rooms.has('!new:test')).toBe(true)
  say(server, '!new:test', 'hello')
  // What was said there before we came is not for us.
  await expect.poll(() => texts(rig)).toEqual(['hello'])
  expect(rig.host.received[0]?.conversation).toEqual({ id: '!new:test', kind: 'dm' })
})

test.each([
  [{}, bob],
  [{ invites_from: [ann] }, bob],
])('with %j an invitation of %s is left alone', async (settings, from) => {
  const { server, rig } = await start({ settings })
  await rig.connect()
  invite(server, '!new:test', from)
  say(server, directRoom, 'hello')
  await expect.poll(() => texts(rig)).toEqual(['hello'])
  expect(server.called.some((path) => path.endsWith('/join'))).toBe(false)
})

test('who may talk to the agent may invite it: the host says who that is', async () => {
  const { server, rig } = await start()
  rig.host.answerInvitation('ignore', 'ignore', 'join')
  await rig.connect()
  const isIn = (id: string): boolean => server.store.rooms.has(id)
  invite(server, '!first:test', bob)
  await expect
    .poll(() => rig.host.invitations)
    .toEqual([{ account: bot, conversation: { id: '!first:test', kind: 'dm' }, sender: { id: bob, isBot: false } }])
  invite(server, '!second:test', ann, { name: 'Garden', is_direct: false })
  await expect.poll(() => rig.host.invitations.at(-1)?.conversation).toEqual({ id: '!second:test', kind: 'group', name: 'Garden' })
  invite(server, '!third:test', ann)
  await expect.poll(() => isIn('!third:test')).toBe(true)
  expect([isIn('!first:test'), isIn('!second:test')]).toEqual([false, false])
})

test('a room that cannot be joined is no reason to stop', async () => {
  const { server, rig } = await start({ settings: { invites_from: ['*'] } })
  await rig.connect()
  server.refuseNext('/join', 403, { errcode: 'M_FORBIDDEN', error: 'You are banned' })
  invite(server, '!closed:test', bob)
  await expect.poll(() => rig.host.lines.join()).toContain('You are banned')
  invite(server, '!new:test', bob)
  await expect.poll(() => server.store.rooms.has('!new:test')).toBe(true)
  expect(server.store.rooms.has('!closed:test')).toBe(false)
})

test.each<[string, RigOptions['secrets'], string, (server: MatrixServer) => void]>([
  ['a token that is refused', { MATRIX_ACCESS_TOKEN: 'syt_wrong' }, 'PLATFORM_AUTH', () => undefined],
  ['a password that is refused', { ...byName, MATRIX_PASSWORD: 'wrong' }, 'PLATFORM_AUTH', () => undefined],
  ['a token of somebody else', { MATRIX_ACCESS_TOKEN: 'syt_right', MATRIX_USER_ID: ann }, 'ENV_INVALID', () => undefined],
  ['a server that fails', undefined, 'PLATFORM_UNREACHABLE', (server) => server.refuseNext('/whoami', 502, {})],
  [
    'a server that wants us to wait long',
    undefined,
    'PLATFORM_UNREACHABLE',
    (server) => server.refuseNext('/whoami', 429, { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 60_000 }),
  ],
  [
    'a first poll that is refused',
    undefined,
    'PLATFORM_UNREACHABLE',
    (server) => server.refuseNext('/sync', 400, { errcode: 'M_UNKNOWN' }),
  ],
  ['what is no JSON', undefined, 'PLATFORM_UNREACHABLE', (server) => server.breakNext({ type: 'status', status: 200, body: '<html>' })],
  ['what is no HTTP', undefined, 'PLATFORM_UNREACHABLE', (server) => server.breakNext({ type: 'garbage' })],
])('%s refuses to connect', async (_what, secrets, code, prepare) => {
  const { server, rig } = await start(secrets ? { secrets } : {})
  prepare(server)
  await expect(rig.connect()).rejects.toMatchObject({ code })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test('a server that sends on is not followed, and does not get the token shown elsewhere', async () => {
  const { server, rig } = await start()
  server.breakNext({ type: 'status', status: 302, headers: { Location: `${server.url}/elsewhere` } })
  await expect(rig.connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE', params: { detail: 'it answered 302' } })
  expect(server.called.some((path) => path.includes('elsewhere'))).toBe(false)
})

test('a server that wants us to wait a moment is asked again after it', async () => {
  const { server, rig } = await start()
  server.refuseNext('/whoami', 429, { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 3000 })
  const connecting = rig.connect()
  await expect.poll(() => rig.clock.sleeping()).toBe(1)
  expect(server.called).toHaveLength(1)
  await rig.clock.advance(3000)
  await connecting
})

test('a name and a password are one device over all logins', async () => {
  const { server, rig } = await start({ secrets: byName })
  await (await rig.connect()).close(call)
  const connection = await restart(server, rig, { secrets: byName }).connect()
  expect(await connection.identity(call)).toEqual({ id: bot, name: 'Agent' })
  expect([...server.devices]).toEqual(['DEVICE1'])
})

test('a token that was copied is of no use once it is taken back', async () => {
  const { server, rig } = await start()
  await rig.connect()
  server.expire()
  await expect.poll(() => rig.host.lost.map(({ code }) => code)).toEqual(['PLATFORM_AUTH'])
})

const asked = (server: MatrixServer, part: string): number => server.called.filter((path) => path.includes(part)).length

test('a login is renewed when its token has ended, and goes on over a restart without the password', async () => {
  const { server, rig } = await start({ secrets: byName })
  const connection = await rig.connect()
  server.expire()
  say(server, directRoom, 'after the end')
  await expect.poll(() => texts(rig)).toEqual(['after the end'])
  expect(await connection.send(createMessage('still here'), call)).toMatchObject({ status: 'sent' })
  await connection.close(call)
  await restart(server, rig, { secrets: byName }).connect()
  expect([asked(server, '/login'), asked(server, '/refresh'), rig.host.lost]).toEqual([1, 1, []])
})

test('a token is renewed before it ends, once for all that ask at the same time', async () => {
  const { server, rig } = await start({ secrets: byName })
  const connection = await rig.connect()
  await rig.clock.advance(30_000)
  await Promise.all([1, 2, 3].map((number) => connection.send(createMessage(`${number}`, { key: `in:${number}:0` }), call)))
  expect([asked(server, '/login'), asked(server, '/refresh')]).toEqual([1, 1])
})

test('a login that was taken back whole begins again with the password, as the same device', async () => {
  const { server, rig } = await start({ secrets: byName })
  await rig.connect()
  server.expire(true)
  say(server, directRoom, 'again')
  await expect.poll(() => texts(rig)).toEqual(['again'])
  expect([asked(server, '/login'), [...server.devices]]).toEqual([2, ['DEVICE1']])
})

test('a poll that is not answered is given up, and one that is proves that the server is there', async () => {
  const { server, rig } = await start()
  const connection = await rig.connect()
  const heard = await connection.lastHeard(call)
  await rig.clock.advance(20_000)
  await expect.poll(() => server.called.filter((path) => path.endsWith('/sync')).length).toBe(2)
  server.store.wake()
  await expect.poll(() => connection.lastHeard(call)).toBe(heard + 20_000)
  await expect.poll(() => rig.clock.sleeping()).toBe(1)
  await rig.clock.advance(59_999)
  expect(rig.host.lost).toEqual([])
  await rig.clock.advance(1)
  await expect.poll(() => rig.host.lost).toHaveLength(1)
  expect(await connection.lastHeard(call)).toBe(heard + 20_000)
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  const { rig } = await start()
  const connection = await rig.connect()
  const sending = connection.send(createMessage('last words'), call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  await expect(connection.send(createMessage('later'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})
