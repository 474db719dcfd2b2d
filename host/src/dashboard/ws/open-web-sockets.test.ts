import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { silentLog } from '#observe/silent-log.ts'
import type { Hub, OpenSession } from '#rpc/sessions/hub.ts'
import type { Watcher } from '#rpc/sessions/live-session.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { openChatStage, type StageOptions } from '../../../../test/support/chats/chat-stage.ts'
import { openWebSockets } from './open-web-sockets.ts'
import { serveChat } from './serve-chat.ts'

/** The close code that a client with these headers gets; 0 where it is let in. */
async function codeFor(headers: Readonly<Record<string, string>>, options: StageOptions = {}): Promise<number> {
  await using stage = await openChatStage(options)
  const client = stage.connect({ headers })
  return await Promise.race([client.closed.then(({ code }) => code), client.call('ping', {}).then(() => 0)])
}

proves(['auth.ws.reject', 'error.ws-rejected'], 'a foreign host or origin is closed with 4403', async () => {
  expect(await codeFor({ host: 'evil.example' })).toBe(4403)
  expect(await codeFor({ origin: 'https://evil.example' })).toBe(4403)
  expect(await codeFor({ origin: 'chrome-extension://abc' })).toBe(4403)
  expect(await codeFor({ host: 'localhost:1', origin: 'http://localhost:1' })).toBe(0)
})

proves('auth.ws.accept-opaque', 'on loopback a page without an address and a file are let in', async () => {
  expect(await codeFor({ origin: 'null' })).toBe(0)
  expect(await codeFor({ origin: 'file://' })).toBe(0)
})

proves('auth.ws.reject-file', 'beyond loopback a file is refused, and the page is let in', async () => {
  const host = 'box.lan:9119'
  expect(await codeFor({ host, origin: 'file://' }, { isLoopback: false })).toBe(4403)
  expect(await codeFor({ host, origin: 'http://box.lan:9119' }, { isLoopback: false })).toBe(0)
})

test('a ticket opens one socket, and an intruder does not use it up', async () => {
  await using stage = await openChatStage()
  expect(await stage.connect({ headers: { origin: 'https://evil.example' }, ticket: 'ticket-0' }).closed).toMatchObject({ code: 4403 })
  const one = stage.connect({ ticket: 'ticket-0' })
  await one.call('ping', {})
  expect(await stage.connect({ ticket: 'ticket-0' }).closed).toMatchObject({ code: 4401 })
  expect(await stage.connect({ ticket: '' }).closed).toMatchObject({ code: 4401 })
})

test('other paths are not found, more sockets than there may be are turned away, and a message that is too long ends its socket', async () => {
  await using stage = await openChatStage({ most: 1 })
  const lost = stage.connect({ path: '/api/other' })
  expect(await lost.closed).toMatchObject({ code: 1006 })
  const one = stage.connect()
  await one.call('ping', {})
  expect(await stage.connect().closed).toMatchObject({ code: 1013 })
  one.socket.send('x'.repeat(1_048_577))
  expect(await one.closed).toMatchObject({ code: 1009 })
  // The server may hear of the end a moment later.
  const isLetIn = (client = stage.connect()) => Promise.race([client.call('ping', {}).then(() => true), client.closed.then(() => false)])
  await expect.poll(() => isLetIn()).toBe(true)
})

test('a client that does not answer a ping is gone when the next is due', async () => {
  const clock = createFakeClock()
  await using stage = await openChatStage({ clock, pingMs: 1_000 })
  const client = stage.connect()
  await client.call('ping', {})
  const heard = once(client.socket, 'ping')
  // It hears the ping and says nothing.
  client.socket.pong = () => undefined
  await clock.advance(1_000)
  await heard
  await clock.advance(1_000)
  expect(await client.closed).toMatchObject({ code: 1006 })
})

test('a client that does not read is cut off, and its session keeps nothing for it any more', async () => {
  let watcher: Watcher | undefined
  let stopped = 0
  const watch = (given: Watcher): (() => void) => {
    watcher = given
    return () => void stopped++
  }
  const session: OpenSession = { title: undefined, status: 'idle', events: () => [], since: () => ({ events: [], gap: false }), watch }
  const server = createServer()
  const given = { isConfigured: async () => true, profile: 'default', now: () => 1, log: silentLog }
  const route = serveChat({ ...given, hub: async () => ({ load: async () => session }) as unknown as Hub })
  const bound = { isLoopback: true, clock: createFakeClock(), log: silentLog, takeTicket: () => () => true }
  const sockets = openWebSockets({ ...bound, server, routes: { '/api/ws': route } })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/ws`)
  try {
    await once(client, 'open')
    client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.resume', params: { session_id: 'ses' } }))
    await once(client, 'message')
    client.pause()
    const event = { type: 'message.delta', text: 'x'.repeat(1_000_000) } as const
    let sent = 0
    for (; stopped === 0 && sent < 100; sent++) {
      watcher?.({ seq: sent + 1, session_id: 'ses', at: 1, event })
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(stopped).toBe(1)
    // Those that wait here, and what the system holds.
    expect(sent).toBeGreaterThan(8)
    expect(sent).toBeLessThan(60)
    expect(sockets.open()).toBe(0)
  } finally {
    client.terminate()
    await sockets.close()
    await new Promise((resolve) => server.close(resolve))
  }
})
