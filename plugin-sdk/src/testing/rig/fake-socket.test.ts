import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openFakeServer } from './fake-server.ts'
import type { FakeSocket } from './fake-socket.ts'

interface Client extends Disposable {
  readonly socket: WebSocket
  readonly heard: readonly string[]
}

async function openClient(url: string): Promise<Client> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { 'X-Key': 'k' } })
  const heard: string[] = []
  socket.on('message', (data) => heard.push(String(data)))
  socket.on('pong', () => heard.push('pong'))
  socket.on('close', (code, reason) => heard.push(`closed ${code} ${reason}`))
  await new Promise((resolve, reject) => socket.once('open', resolve).on('error', reject))
  return { socket, heard, [Symbol.dispose]: () => socket.terminate() }
}

async function openRig(onSocket: (socket: FakeSocket) => void = () => undefined) {
  const server = await openFakeServer(() => ({ status: 200, body: 'page' }), { socket: onSocket })
  return { server, client: await openClient(`${server.url}/chat?a=1`) }
}

test('both ends hear each other, and the server knows how it was called', async () => {
  const { server, client } = await openRig((socket) => {
    socket.send(`${socket.url} ${socket.headers['x-key']}`)
    socket.onText((text) => socket.send(`again: ${text}`))
  })
  await using _ = server
  using __ = client
  client.socket.send('one')
  client.socket.ping()
  await expect.poll(() => client.heard).toEqual(['/chat?a=1 k', 'again: one', 'pong'])
  expect(await (await fetch(server.url)).text()).toBe('page')
})

test('a close in order has its code, a cut has none, and closed sockets are gone', async () => {
  const codes: number[] = []
  const { server, client } = await openRig((socket) => socket.onClose((code) => codes.push(code)))
  await using _ = server
  using other = await openClient(server.url)
  const [first, second] = server.sockets()
  first?.close(4001, 'enough')
  await expect.poll(() => client.heard).toEqual(['closed 4001 enough'])
  second?.cut()
  await expect.poll(() => other.heard).toEqual(['closed 1006 '])
  await expect.poll(() => [server.sockets().length, codes]).toEqual([0, [4001, 1006]])
})

test('a half-open socket takes everything and says nothing, not even pong', async () => {
  const taken: string[] = []
  const { server, client } = await openRig((socket) => socket.onText((text) => taken.push(text)))
  await using _ = server
  using __ = client
  client.socket.send('before')
  await expect.poll(() => taken).toEqual(['before'])
  const [socket] = server.sockets()
  socket?.halfOpen()
  socket?.send('never')
  client.socket.send('after')
  client.socket.ping()
  await fetch(server.url)
  socket?.close(4000)
  await expect.poll(() => client.heard).toEqual(['closed 4000 '])
  expect(taken).toEqual(['before'])
})

test('the server cuts all, and leaves none open when it goes', async () => {
  const { server, client } = await openRig()
  server.cut()
  await expect.poll(() => client.heard).toEqual(['closed 1006 '])
  using last = await openClient(server.url)
  await server[Symbol.asyncDispose]()
  await expect.poll(() => last.heard).toEqual(['closed 1006 '])
})

test.each([401, 503])('a socket can be refused with %i, and a server without sockets knows none', async (status) => {
  await using server = await openFakeServer(() => ({ status: 200 }), {
    socket: () => undefined,
    refuseSocket: ({ url }) => (url === '/closed' ? status : undefined),
  })
  await expect(openClient(`${server.url}/closed`)).rejects.toThrow(`${status}`)
  using _ = await openClient(`${server.url}/open`)
  await using plain = await openFakeServer(() => ({ status: 200 }))
  await expect(openClient(plain.url)).rejects.toThrow('404')
})
