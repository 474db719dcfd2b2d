import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { type FakeServerOptions, openFakeServer } from '../testing/rig/fake-server.ts'
import { openWebSocket, type WebSocketOptions } from './web-socket.ts'

/** A server, and what a socket to it is told. */
async function openRig(options: FakeServerOptions = { socket: () => undefined }) {
  const server = await openFakeServer(() => ({ status: 404 }), options)
  const clock = createFakeClock()
  const life = new AbortController()
  const texts: string[] = []
  const ends: string[] = []
  const heard = { times: 0 }
  const connect = (more: Partial<WebSocketOptions> = {}) =>
    openWebSocket({
      url: server.url.replace('http', 'ws'),
      ...{ platform: 'Test', clock, signal: life.signal },
      onHear: () => {
        heard.times += 1
      },
      onText: (text) => void texts.push(text),
      onEnd: (code, reason) => void ends.push(`${code} ${reason}`),
      ...more,
    })
  return { server, clock, life, texts, ends, heard, connect, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('what the other side says with its first packet is heard', async () => {
  await using rig = await openRig({ socket: (socket) => socket.send('hello') })
  const socket = await rig.connect()
  await expect.poll(() => rig.texts).toEqual(['hello'])
  await socket.close()
})

test('texts go both ways under the headers that were given, and it closes in order', async () => {
  const codes: number[] = []
  await using rig = await openRig({
    socket: (socket) => {
      socket.onText((text) => socket.send(`${socket.headers.authorization}: ${text}`))
      socket.onClose((code) => codes.push(code))
    },
  })
  const socket = await rig.connect({ headers: { Authorization: 'Bearer t' } })
  socket.send('hi')
  await expect.poll(() => rig.texts).toEqual(['Bearer t: hi'])
  await socket.close(4000)
  await socket.close()
  socket.send('nobody hears this')
  await expect.poll(() => codes).toEqual([4000])
  expect([rig.ends, rig.clock.sleeping()]).toEqual([['4000 '], 0])
})

test.each([
  [401, 'PLATFORM_AUTH'],
  [403, 'PLATFORM_AUTH'],
  [404, 'PLATFORM_UNREACHABLE'],
  [503, 'PLATFORM_UNREACHABLE'],
])('an answer %i instead of a socket is %s', async (status, code) => {
  await using rig = await openRig({ socket: () => undefined, refuseSocket: () => status })
  await expect(rig.connect()).rejects.toMatchObject({ code, params: { platform: 'Test', detail: `it answered ${status}` } })
  expect(rig.ends).toEqual([])
})

test('where nobody listens it cannot be reached', async () => {
  const rig = await openRig()
  await rig[Symbol.asyncDispose]()
  await expect(rig.connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('it can be given up before, while it opens, and later', async () => {
  await using rig = await openRig()
  await expect(rig.connect({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')

  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const reached = new Promise((resolve) => silent.once('connection', resolve))
  const stop = new AbortController()
  const opening = expect(
    rig.connect({ url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, signal: stop.signal }),
  ).rejects.toThrow('while')
  await reached
  stop.abort(new Error('while'))
  await opening
  await new Promise((resolve) => silent.close(resolve))

  await rig.connect({ pingMs: 1000 })
  rig.life.abort(new Error('later'))
  await expect.poll(() => rig.ends).toEqual(['1006 '])
  expect(rig.clock.sleeping()).toBe(0)
})

test('the end is told once: closed by the other side with code and reason, or cut', async () => {
  await using rig = await openRig()
  await rig.connect({ pingMs: 1000 })
  rig.server.sockets()[0]?.close(4004, 'bad token')
  await expect.poll(() => rig.ends).toEqual(['4004 bad token'])
  await rig.connect()
  rig.server.cut()
  await expect.poll(() => rig.ends).toEqual(['4004 bad token', '1006 '])
  expect(rig.clock.sleeping()).toBe(0)
})

test('a pong is heard, and without one until the next ping the connection is over', async () => {
  await using rig = await openRig()
  await rig.connect({ pingMs: 1000 })
  for (const round of [1, 2, 3]) {
    await rig.clock.advance(1000)
    await expect.poll(() => rig.heard.times).toBe(round)
  }
  rig.server.sockets()[0]?.halfOpen()
  await rig.clock.advance(1000)
  expect(rig.ends).toEqual([])
  await rig.clock.advance(1000)
  await expect.poll(() => rig.ends).toEqual(['1006 '])
  expect(rig.heard.times).toBe(3)
})

test('who does not answer the farewell is left after two seconds', async () => {
  const silent = createServer((stream) => {
    stream.once('data', (head) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(head))?.[1] ?? ''
      void acceptKey(key).then((accept) =>
        stream.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        ),
      )
    })
    stream.on('error', () => stream.destroy())
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  await using rig = await openRig()
  const socket = await rig.connect({ url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` })
  const closing = socket.close()
  await rig.clock.advance(1999)
  expect(rig.ends).toEqual([])
  await rig.clock.advance(1)
  await closing
  await expect.poll(() => rig.ends).toEqual(['1006 '])
  await new Promise((resolve) => silent.close(resolve))
})

async function acceptKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`))
  return Buffer.from(digest).toString('base64')
}

test('reading stops and goes on, and a frame that is too large ends it', async () => {
  await using rig = await openRig()
  const socket = await rig.connect({ maxBytes: 100 })
  const [other] = rig.server.sockets()
  socket.pause()
  other?.send('later')
  const second = await rig.connect({ onText: () => undefined })
  expect(rig.texts).toEqual([])
  socket.resume()
  await expect.poll(() => rig.texts).toEqual(['later'])
  other?.send('x'.repeat(101))
  await expect.poll(() => rig.ends).toEqual([expect.stringMatching(/^1006|^1009/)])
  expect(rig.texts).toEqual(['later'])
  await second.close()
})
