import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { leadThroughDoor } from './child-network.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** As in a child, until the test ends. */
function lead(door: string | undefined): void {
  const own = { connect: net.Socket.prototype.connect, tls: tls.connect, lookup: dns.lookup, promised: dns.promises.lookup }
  leadThroughDoor(door)
  closers.push(() => {
    net.Socket.prototype.connect = own.connect
    Object.assign(tls, { connect: own.tls })
    Object.assign(dns, { lookup: own.lookup })
    Object.assign(dns.promises, { lookup: own.promised })
    syncBuiltinESMExports()
  })
}

/** A door that leads "site.example" and this machine to a greeting and an echo, and refuses all else. What was asked for is listed. */
async function openDoor(): Promise<readonly string[]> {
  const asked: string[] = []
  const door = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (line) => {
        const { host, port } = JSON.parse(line.toString()) as { host: string; port: number }
        asked.push(`${host}:${port}`)
        if (host === 'other.example') return void socket.end('{"code":"EACCES","message":"not declared"}\n')
        socket.write('{"address":"192.0.2.7","port":80,"family":"IPv4"}\nhello ')
        socket.pipe(socket)
      })
  })
  closers.push(() => door.close())
  const folder = mkdtempSync(join(tmpdir(), 'led-'))
  closers.push(() => rmSync(folder, { recursive: true }))
  await once(door.listen(join(folder, 'door')), 'listening')
  lead(join(folder, 'door'))
  return asked
}

async function talk(socket: net.Socket): Promise<string> {
  socket.end('you')
  return text(socket)
}

test('every way to connect leads through the door, and the socket says where it came to', async () => {
  const asked = await openDoor()
  let heard = 0
  const onConnect = (): void => void heard++
  expect(await talk(net.connect(80, 'site.example', onConnect))).toBe('hello you')
  expect(await talk(net.connect({ port: 81, host: 'site.example' }, onConnect))).toBe('hello you')
  expect(await talk(new net.Socket().connect(82, 'site.example', onConnect))).toBe('hello you')
  expect(await talk(net.connect(83))).toBe('hello you')
  expect([heard, asked]).toEqual([3, ['site.example:80', 'site.example:81', 'site.example:82', 'localhost:83']])
  const socket = net.connect({ port: 80, host: 'site.example' })
  await once(socket, 'connect')
  expect([socket.remoteAddress, socket.remotePort, socket.connecting]).toEqual(['192.0.2.7', 80, false])
  socket.destroy()
})

test('who watches the events of a socket himself goes on watching them', async () => {
  await openDoor()
  const socket = new net.Socket()
  const seen: string[] = []
  const { emit } = socket
  const own = (event: string, ...args: unknown[]): boolean => {
    seen.push(event)
    return Reflect.apply(emit, socket, [event, ...args]) as boolean
  }
  Object.assign(socket, { emit: own })
  expect(await talk(socket.connect(80, 'site.example'))).toBe('hello you')
  expect(socket.emit).toBe(own)
  expect(seen).toContain('connect')
})

test('a name is stood for by an address, and who connects to that address asks for the name', async () => {
  const asked = await openDoor()
  const address = await new Promise<string>((resolve, reject) =>
    dns.lookup('site.example', (error, found) => (error ? reject(error) : resolve(found))),
  )
  expect(address).toMatch(/^198\.18\./)
  expect(await dns.promises.lookup('site.example')).toEqual({ address, family: 4 })
  expect(await dns.promises.lookup('site.example', { all: true })).toEqual([{ address, family: 4 }])
  expect(await talk(net.connect(80, address))).toBe('hello you')
  expect(asked).toEqual(['site.example:80'])
})

test('what the door refuses fails like a connection, and a socket of this machine is left alone', async () => {
  const asked = await openDoor()
  const refused = net.connect(80, 'other.example')
  await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'EACCES', syscall: 'connect', address: 'other.example' })
  const local = net.createServer((socket) => socket.end('local'))
  closers.push(() => local.close())
  const path = join(tmpdir(), `led-${process.pid}.sock`)
  await once(local.listen(path), 'listening')
  expect(await text(net.connect(path))).toBe('local')
  expect(asked).toEqual(['other.example:80'])
})

test('a plugin without a network is told that its manifest declares none', async () => {
  lead(undefined)
  await expect(once(net.connect(80, 'site.example'), 'connect')).rejects.toMatchObject({
    ...{ code: 'EACCES', message: expect.stringContaining('declares nothing in permissions.net') },
  })
})

test('a handshake goes through the door, and one that fails is an error of the caller', async () => {
  const asked = await openDoor()
  const secure = tls.connect({ port: 443, host: 'site.example' })
  await expect(once(secure, 'secureConnect')).rejects.toThrow()
  expect(asked).toEqual(['site.example:443'])
  expect(secure.destroyed).toBe(true)
})

test('a port may be a text, a path is none, and a wish for the newer addresses is heard', async () => {
  const asked = await openDoor()
  expect(await talk(new net.Socket().connect('80' as never, 'site.example' as never))).toBe('hello you')
  expect(asked).toEqual(['site.example:80'])
  const local = net.createServer((socket) => socket.end('local'))
  closers.push(() => local.close())
  const path = join(tmpdir(), `led-by-path-${process.pid}.sock`)
  await once(local.listen(path), 'listening')
  expect(await text(new net.Socket().connect(path))).toBe('local')
  expect(asked).toHaveLength(1)
  const found = await Promise.all(
    [6, { family: 6 }, 0, 4].map((options) => dns.promises.lookup('site.example', options as never) as Promise<{ family: number }>),
  )
  expect(found.map(({ family }) => family)).toEqual([6, 6, 4, 4])
})
