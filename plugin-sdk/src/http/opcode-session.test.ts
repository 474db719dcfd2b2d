import { afterEach, expect, test } from 'vitest'
import { fail } from '../contract/errors.ts'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { type FakeServer, openFakeServer } from '../testing/rig/fake-server.ts'
import type { FakeSocket } from '../testing/rig/fake-socket.ts'
import { openOpcodeSession } from './opcode-session.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Answer = (socket: FakeSocket, op: number, d: unknown) => void
const say = (socket: FakeSocket, op: number, d: unknown, more: object = {}): void => socket.send(JSON.stringify({ op, d, ...more }))

/** Begins and resumes every session. */
const polite: Answer = (socket, op) => {
  if (op === 2) say(socket, 0, { session_id: 's1' }, { t: 'READY', s: 1 })
  if (op === 6) say(socket, 0, {}, { t: 'RESUMED', s: 9 })
  if (op === 1) say(socket, 11, null)
}

async function start(answer: Answer = polite) {
  const said: [op: number, d: unknown][] = []
  const onSocket = (socket: FakeSocket): void => {
    socket.onText((text) => {
      const { op, d } = JSON.parse(text) as { op: number; d: unknown }
      said.push([op, d])
      answer(socket, op, d)
    })
    say(socket, 10, { heartbeat_interval: 10_000 })
  }
  const server: FakeServer = await openFakeServer(() => ({ status: 404 }), { socket: onSocket })
  open.push(() => server[Symbol.asyncDispose]())
  const clock = createFakeClock()
  const ended: string[] = []
  const controller = new AbortController()
  open.push(async () => controller.abort())
  const opening = openOpcodeSession({
    url: server.url.replace('http', 'ws'),
    platform: 'Test',
    clock,
    random: () => 0.5,
    signal: controller.signal,
    identify: 'it is me',
    resume: (session, sequence) => ({ session, sequence }),
    describeClose: (code) => ({ error: fail('PLATFORM_LOST', { platform: 'Test', detail: `closed ${code}` }), resumable: code !== 4004 }),
    onHear: () => undefined,
    onEnd: ({ message }) => ended.push(message),
  })
  return { server, said, clock, ended, opening }
}

test('events that come before anybody listens are told, and a session goes on where it was cut', async () => {
  const { server, said, opening, clock, ended } = await start()
  const session = await opening
  expect(session.ready).toEqual({ session_id: 's1' })
  for (const socket of server.sockets()) say(socket, 0, 'early', { t: 'NEWS', s: 7 })
  await expect.poll(() => server.sockets().length).toBe(1)
  const heard: unknown[] = []
  session.listen((name, data) => heard.push([name, data]))
  await expect.poll(() => heard).toEqual([['NEWS', 'early']])
  server.cut()
  const step = async (): Promise<boolean> => {
    await clock.advance(100)
    return said.some(([op]) => op === 6)
  }
  await expect.poll(step).toBe(true)
  expect(said.filter(([op]) => op !== 1)).toEqual([
    [2, 'it is me'],
    [6, { session: 's1', sequence: 7 }],
  ])
  expect(ended).toEqual([])
  await session.close()
  expect(clock.sleeping()).toBe(0)
})

test('a heartbeat that is not acknowledged ends the connection, and one that is keeps it', async () => {
  let deaf = false
  const { said, opening, clock } = await start((socket, op, d) => (deaf && op === 1 ? undefined : polite(socket, op, d)))
  const session = await opening
  const count = (wanted: number): number => said.filter(([op]) => op === wanted).length
  const until = (holds: () => boolean) => {
    const step = async (): Promise<boolean> => {
      if (!holds()) await clock.advance(1000)
      return holds()
    }
    return expect.poll(step, { interval: 5, timeout: 5000 }).toBe(true)
  }
  await until(() => count(1) >= 3)
  expect(count(6)).toBe(0)
  deaf = true
  await until(() => count(6) === 1)
  await session.close()
})

test('a gateway that refuses is told at the begin, and later once', async () => {
  const { opening } = await start((socket, op) => (op === 2 ? socket.close(4004) : undefined))
  await expect(opening).rejects.toThrow('closed 4004')
  const other = await start()
  await other.opening
  for (const socket of other.server.sockets()) socket.close(4004)
  await expect.poll(() => other.ended).toEqual([expect.stringContaining('closed 4004')])
})
