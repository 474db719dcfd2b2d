import { expect, test } from 'vitest'
import { call, createMessage, openRig } from '../test/rig.ts'
import { ann, own, room } from '../test/signal-daemon.ts'
import signal from './connection.ts'

test('it hears what is said to its account, and nothing else', async () => {
  await using rig = await openRig()
  await rig.connect()
  rig.daemon.raw('event:receive\ndata:{ not json\n\n')
  rig.daemon.happen({ sourceUuid: ann.uuid, dataMessage: { timestamp: 1, message: 'to somebody else' } }, '+43333333333')
  rig.daemon.happen({ sourceUuid: ann.uuid, typingMessage: { action: 'STARTED' } })
  rig.daemon.say('hello')
  await expect.poll(rig.texts).toEqual(['hello'])
  expect(rig.host.lost).toEqual([])
})

test('a daemon that is well but deaf is given up after 120 seconds; a comment is a sign of life', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  const at = await connection.lastHeard(call)
  await rig.clock.advance(60_000)
  rig.daemon.keepAlive()
  await expect.poll(() => connection.lastHeard(call)).toBe(at + 60_000)
  rig.daemon.deafen()
  await rig.clock.advance(105_000)
  expect(rig.host.lost).toEqual([])
  expect(await connection.send?.(createMessage('still sent'), call)).toMatchObject({ status: 'sent' })
  await rig.clock.advance(15_000)
  expect(rig.host.lost).toMatchObject([{ code: 'PLATFORM_SILENT', params: { seconds: 120 } }])
  expect((await fetch(`${rig.daemon.url}/api/v1/check`)).status).toBe(200)
})

test('a stream that ends or breaks is lost, once', async () => {
  for (const end of ['hangUp', 'cut'] as const) {
    await using rig = await openRig()
    await rig.connect()
    if (end === 'cut') rig.daemon.server.cut()
    else rig.daemon.hangUp()
    await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'PLATFORM_LOST' }])
  }
})

test('what the host has no room for is offered again, and keepalives are heard meanwhile', async () => {
  await using rig = await openRig()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 60_000 })
  const connection = await rig.connect()
  const at = await connection.lastHeard(call)
  rig.daemon.say('one')
  rig.daemon.say('two')
  await expect.poll(rig.texts).toEqual(['one'])
  await rig.clock.advance(30_000)
  rig.daemon.keepAlive()
  await expect.poll(() => connection.lastHeard(call)).toBe(at + 30_000)
  await rig.clock.advance(30_000)
  await expect.poll(rig.texts).toEqual(['one', 'one', 'two'])
})

test('a flood while the host is busy is not read before there is room, and nothing of it is lost', async () => {
  await using rig = await openRig()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 1000 })
  await rig.connect()
  const texts = Array.from({ length: 120 }, (_, index) => `message ${index}`)
  for (const text of texts) rig.daemon.say(text)
  await expect.poll(rig.texts).toEqual(['message 0'])
  await rig.clock.advance(1000)
  await expect.poll(() => rig.texts().slice(1)).toEqual(texts)
})

test('a daemon that keeps events gives what came while nobody listened; the first start asks for nothing', async () => {
  await using first = await openRig({ keepsEvents: true })
  first.daemon.say('long ago')
  const connection = await first.connect()
  first.daemon.say('one')
  await expect.poll(first.texts).toEqual(['one'])
  await expect.poll(() => first.state.get(`heard:${own.uuid}`)).toMatchObject({ id: 'run-2' })
  await connection.close(call)
  first.daemon.say('two')
  await using second = await openRig({ daemon: first.daemon, state: first.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['two'])
})

test('an event that the host did not take is not remembered as dealt with', async () => {
  await using rig = await openRig({ keepsEvents: true })
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 60_000 })
  const connection = await rig.connect()
  rig.daemon.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  await connection.close(call)
  await using second = await openRig({ daemon: rig.daemon, state: rig.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['one'])
})

test('before the first event was dealt with, what is older than the first start stays unheard', async () => {
  await using first = await openRig({ keepsEvents: true })
  first.daemon.say('long ago', {}, { serverReceivedTimestamp: first.clock.now() - 1 })
  await (await first.connect()).close(call)
  first.daemon.say('one', {}, { serverReceivedTimestamp: first.clock.now() + 1 })
  await using second = await openRig({ daemon: first.daemon, state: first.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['one'])
})

test.each([
  [{ instead: 'wrapper' }, 'ENV_INVALID', 'signal-cli-rest-api'],
  [{ instead: 'stranger' }, 'ENV_INVALID', 'no daemon'],
  [{ secrets: { SIGNAL_ACCOUNT: '+43999999999' } }, 'PLATFORM_AUTH', 'does not exist'],
] as const)('%j is refused with %s', async (options, code, words) => {
  await using rig = await openRig(options)
  const error: unknown = await rig.connect().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code })
  expect(String(error)).toContain(words)
  expect(rig.host.lost).toEqual([])
})

test.each([
  [{ type: 'status', status: 503 }, '503'],
  [{ type: 'garbage' }, ''],
  [{ type: 'drop' }, ''],
] as const)('a check that is answered with %j is tried again later', async (fault, words) => {
  await using rig = await openRig()
  rig.daemon.server.breakNext(fault)
  const error: unknown = await rig.connect().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(String(error)).toContain(words)
})

test('an account that Signal no longer knows is refused', async () => {
  await using rig = await openRig()
  rig.daemon.refuseNext('getUserStatus', -1, `User ${own.number} has trouble`)
  const error: unknown = await rig.connect().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(String(error)).not.toContain(own.number)
})

test('connecting ends when it is given up', async () => {
  await using rig = await openRig({ secrets: { SIGNAL_ACCOUNT: '+43000000000' } })
  const controller = new AbortController()
  const connecting = signal.connect(rig.context, { ...call, signal: controller.signal })
  await expect.poll(() => rig.daemon.server.journal.length).toBe(2)
  controller.abort()
  await expect(connecting).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(rig.host.lost).toEqual([])
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  const sending = connection.send?.(createMessage('last words'), call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  await expect(connection.send?.(createMessage('later'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test('writing is shown, and a mark replaces the one before it', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  for (const conversation of [ann.uuid, room.id, 'nowhere']) await connection.typing?.(conversation, call)
  for (const conversation of [room.id, 'nowhere']) await connection.endTyping?.(conversation, call)
  expect(rig.daemon.typings).toEqual([{ to: ann.uuid }, { to: room.id }, { to: room.id, stop: true }])
  const id = `${ann.uuid}:${rig.daemon.say('mark me')}`
  for (const [mood, mark] of [
    ['seen', '👀'],
    ['done', '✅'],
    ['failed', '❌'],
  ] as const) {
    await connection.react?.({ id, account: own.number, conversation: room.id }, mood, call)
    expect([...rig.daemon.reactions]).toEqual([[id, mark]])
  }
})

test('groups that it is in and people that it knows are listed', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  expect(await connection.listConversations?.(call)).toEqual([
    { id: room.id, kind: 'group', name: 'Garden' },
    { id: ann.uuid, kind: 'dm', name: 'Ann' },
  ])
})

test('the bytes of a file come whole; one that is gone is an error', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  rig.daemon.sendFile({ name: 'a.bin', mime: 'x/y', bytes: Uint8Array.of(0, 255, 7) })
  const fetchAll = async (id: string): Promise<number[]> => {
    const bytes: number[] = []
    for await (const piece of connection.fetchMedia?.({ id, kind: 'document', mime: 'x/y' }, call) ?? []) bytes.push(...piece)
    return bytes
  }
  expect(await fetchAll('attachment-0.bin')).toEqual([0, 255, 7])
  await expect(fetchAll('gone')).rejects.toThrow('Could not find attachment')
})

test('no phone number is written down', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  rig.daemon.say('hello')
  await expect.poll(rig.texts).toEqual(['hello'])
  const { name } = (await connection.identity?.(call)) ?? {}
  await connection.send?.(createMessage('x', { conversation: '+43777777777' }), call)
  expect(rig.host.lines.join() + name).not.toMatch(/\+\d{5}/)
})
